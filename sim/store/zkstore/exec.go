package zkstore

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// attachment is a connection of a client as the server has it.
type attachment struct {
	client *Client
	node   *Node
	link   *network.Link
}

var _ state.Link = (*attachment)(nil)

// Event implements state.Link. It is sent when the machine is done.
func (a *attachment) Event(e state.Event) {
	s := a.node.store
	s.pushes = append(s.pushes, push{to: a, event: e})
}

// HangUp implements state.Link.
func (a *attachment) HangUp() {
	s := a.node.store
	s.pushes = append(s.pushes, push{to: a, hangUp: true})
}

var eventNames = map[state.EventType]string{
	state.NodeCreated: "created", state.NodeDeleted: "deleted",
	state.NodeDataChanged: "changed", state.NodeChildrenChanged: "children changed",
}

func (a *attachment) push(e state.Event) {
	_, key := a.node.store.shown(e.Path)
	text := fmt.Sprintf("event: %s %s", key, eventNames[e.Type])
	a.link.Push("EVENT", text, func() { a.client.fire(e) })
}

// execute runs a request that has arrived at the server.
func (a *attachment) execute(r *network.Request, req state.Request, done func(state.Response)) {
	s := a.node.store
	if !a.node.serving() {
		a.link.Refuse(r)
		return
	}
	var resp state.Response
	s.machine.Do(a.client.session.ID, a, req, func(got state.Response) { resp = got })
	e := trace.Event{
		Actor: a.node.Name(), Kind: trace.KindExec, Text: r.Text, Reply: s.describe(resp),
		Peer: a.client.proc.Name(), Msg: r.ID,
	}
	s.changes(&e)
	a.watched(&e, req, resp)
	s.rec.Add(e)
	a.link.Answer(r, e.Reply, func() { done(resp) })
	s.flush()
}

// close ends the session that the client has closed.
func (a *attachment) close(session int64) {
	s := a.node.store
	s.machine.Do(session, a, state.Request{Op: state.OpCloseSession}, func(state.Response) {})
	delete(s.owners, session)
	client := a.client.proc.Name()
	e := trace.Event{
		Actor: a.node.Name(), Kind: trace.KindNote, Text: "the session of " + client + " is closed",
		Sessions: []trace.SessionChange{{Store: a.node.Name(), Name: client, Actor: client, Gone: true}},
	}
	s.changes(&e)
	s.rec.Add(e)
	s.flush()
	a.link.Close()
}

// watched adds to e the watch that a request has set, and those that its
// execution has fired.
func (a *attachment) watched(e *trace.Event, req state.Request, resp state.Response) {
	s := a.node.store
	for _, p := range s.pushes {
		if !p.hangUp {
			_, key := s.shown(p.event.Path)
			e.Watches = append(e.Watches, trace.WatchChange{Store: p.to.node.Name(), Actor: p.to.client.proc.Name(), Key: key, Gone: true})
		}
	}
	if req.Watch && resp.Code == state.OK {
		_, key := s.shown(req.Path)
		e.Watches = append(e.Watches, trace.WatchChange{Store: a.node.Name(), Actor: a.client.proc.Name(), Key: key})
	}
}

// describe is an answer in a few words.
func (s *Store) describe(r state.Response) string {
	if r.Code == state.OK && len(r.Results) > 0 {
		for _, part := range r.Results {
			if part.Op == state.OpError && part.Code != state.OK && part.Code != state.RuntimeInconsistency {
				return reason(part.Code)
			}
		}
		r = r.Results[0]
	}
	switch {
	case r.Code != state.OK:
		return reason(r.Code)
	case r.Path != "" && r.Op != state.OpSync:
		_, key := s.shown(r.Path)
		return key
	case len(r.Children) > 0:
		names := make([]string, 0, 3)
		for i, c := range r.Children {
			if i == 3 {
				names = append(names, fmt.Sprintf("… %d in all", len(r.Children)))
				break
			}
			_, key := s.shown(s.cfg.Base + "/" + c)
			names = append(names, key)
		}
		return strings.Join(names, ", ")
	}
	return "ok"
}

// reason is an error code without the name of the system.
func reason(c state.Code) string { return strings.TrimPrefix(c.Error(), "zookeeper: ") }
