package consulstore

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
)

// errBroken is what a client makes of a connection that has broken.
var errBroken = errors.New("the connection to consul is broken")

// errRefused is what a client makes of a server that is not there.
var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// errOver is for what unwinding tasks still try to send.
var errOver = errors.New("the run is over")

// anyToken keeps the client from reading one from the environment of whoever
// runs the simulator. The server ignores it.
const anyToken = "any"

// Client is the official client for one process.
func (n *Node) Client(proc *kernel.Process) (*api.Client, error) {
	return api.NewClient(&api.Config{
		Address: n.Name(), Scheme: "http", Token: anyToken,
		HttpClient: &http.Client{Transport: &transport{node: n, proc: proc}},
	})
}

// transport is the http.RoundTripper of one process. Every request has a
// connection to itself while it is under way.
type transport struct {
	node *Node
	proc *kernel.Process
	idle []*network.Link
}

// exchange is one request under way.
type exchange struct {
	client  string
	link    *network.Link
	message *network.Request
	http    *http.Request
	body    []byte
	hangUp  func() // tells the query that its client is gone

	done clock.Event
	resp *http.Response
	err  error
}

func (x *exchange) end(resp *http.Response, err error) {
	if !x.done.IsSet() {
		x.resp, x.err = resp, err
		x.done.Set()
	}
}

// RoundTrip implements http.RoundTripper. It waits in the task that calls it.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := contents(r.Body)
	switch {
	case err != nil:
		return nil, err
	case t.node.net.Kernel().Closing():
		return nil, errOver
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	}
	x := &exchange{
		client: t.proc.Name(), link: t.connection(), http: withoutEnvironment(r), body: body,
		hangUp: func() {}, done: t.proc.Clock().NewEvent(),
	}
	x.message = describe(x.http, body)
	x.link.OnBreak(func() { x.end(nil, errBroken) })
	x.link.OnClose(func() { x.hangUp() })
	x.link.Send(x.message, func() { t.node.arrive(x) })
	if err := x.done.Wait(r.Context(), clock.NoLimit); err != nil {
		x.link.Close()
		return nil, err
	}
	if x.err != nil {
		return nil, x.err
	}
	t.idle = append(t.idle, x.link)
	return x.resp, nil
}

// connection is one that has been used before, or a new one.
func (t *transport) connection() *network.Link {
	t.idle = slices.DeleteFunc(t.idle, (*network.Link).Broken)
	if n := len(t.idle); n > 0 {
		link := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return link
	}
	return t.node.net.Dial(t.proc, t.node.Name())
}

// withoutEnvironment is r without what the client takes from the environment of
// whoever runs the simulator.
func withoutEnvironment(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	params := out.URL.Query()
	params.Del("ns")
	params.Del("partition")
	out.URL.RawQuery = params.Encode()
	return out
}

// contents reads and closes a body, which may be nil.
func contents(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}
