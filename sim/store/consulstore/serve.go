package consulstore

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// indexHeader is where Consul says how young an answer is.
const indexHeader = "X-Consul-Index"

// arrive is a request that reaches the server.
func (n *Node) arrive(x *exchange) {
	n.asking = x.client
	switch {
	case n.killed:
		x.end(nil, errRefused)
		x.link.Refuse(x.message)
	case n.blocks(x):
		n.hold(x)
	default:
		n.answer(x, n.serve(background, x.http, x.body))
	}
}

var background = context.Background()

// serve lets the server answer. It waits where the request is a blocking query
// that has to.
func (n *Node) serve(ctx context.Context, r *http.Request, body []byte) *http.Response {
	r = r.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := n.server.RoundTrip(r)
	if err != nil {
		return nil // the query was given up
	}
	return resp
}

// blocks reports whether x is a query that will not be answered at once.
func (n *Node) blocks(x *exchange) bool {
	params := x.http.URL.Query()
	index, _ := strconv.ParseUint(params.Get("index"), 10, 64)
	if index == 0 {
		return false
	}
	now := x.http.Clone(background)
	params.Del("index")
	now.URL.RawQuery = params.Encode()
	resp := n.serve(background, now, nil)
	got, _ := strconv.ParseUint(resp.Header.Get(indexHeader), 10, 64)
	return got <= index
}

// hold lets a blocking query wait in a task of the server.
func (n *Node) hold(x *exchange) {
	watch := trace.WatchChange{Store: n.Name(), Actor: x.client, Key: key(x.http)}
	ctx, cancel := context.WithCancel(background)
	// The server's process ends the query, so that it looks at its context.
	x.hangUp = func() { n.proc.After(0, cancel) }
	n.rec.Add(trace.Event{
		Actor: n.Name(), Kind: trace.KindNote, Text: "holds the query of " + x.client + " until " + watch.Key + " changes",
		Watches: []trace.WatchChange{watch},
	})
	end := n.net.Kernel().Now() + kernel.Time(waitOf(x.http))
	n.proc.Go("query", func() {
		defer cancel()
		resp := n.serve(ctx, x.http, nil)
		if n.net.Kernel().Closing() {
			return
		}
		x.message.Wakes = resp != nil && n.net.Kernel().Now() < end
		watch.Gone = true
		n.answer(x, resp, watch)
	})
}

// waitOf is how long a blocking query waits at most.
func waitOf(r *http.Request) time.Duration {
	d, _ := time.ParseDuration(r.URL.Query().Get("wait")) // the client writes it
	return d
}

// answer records what the server has done, and sends its answer. None means that
// the client has given up.
func (n *Node) answer(x *exchange, resp *http.Response, watches ...trace.WatchChange) {
	e := trace.Event{
		Actor: n.Name(), Kind: trace.KindExec, Text: x.message.Text, Peer: x.client, Msg: x.message.ID,
		Reply: "given up", Watches: watches,
	}
	if resp != nil {
		body, _ := contents(resp.Body) // it is in memory
		resp.Body = io.NopCloser(bytes.NewReader(body))
		e.Reply = outcome(x.message, resp, body)
	}
	n.settle(&e)
	n.rec.Add(e)
	x.link.Answer(x.message, e.Reply, func() { x.end(resp, nil) })
}
