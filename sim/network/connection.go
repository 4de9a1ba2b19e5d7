package network

import (
	"slices"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// OnClose sets what happens at the server when it learns that the client has
// closed the connection, or that its process is gone: the operating system of
// the client says so, unless the whole host is lost.
func (l *Link) OnClose(f func()) { l.onClose = f }

// OnBreak sets what happens at the client when it learns that the connection is
// broken.
func (l *Link) OnBreak(f func()) { l.onBreak = f }

// Broken reports whether the connection is gone: nothing travels on it any more.
func (l *Link) Broken() bool { return l.broken }

// Close ends the connection from the client's side. The server learns it once
// the news has travelled, behind everything that was sent before.
func (l *Link) Close() {
	if l.closed || l.broken {
		return
	}
	l.closed = true
	l.n.forget(l)
	if l.n.faults.cut(l.client.Name(), l.server, l.n.k.Now()) {
		return
	}
	at := max(l.n.k.Now()+kernel.Time(l.n.latency), l.arrival[toServer])
	l.n.k.At(at, func() {
		if !l.broken {
			l.broken = true
			call(l.onClose)
		}
	})
}

// Break ends the connection at once. What is under way on it is lost, and both
// ends notice.
func (l *Link) Break() {
	if l.broken {
		return
	}
	l.broken = true
	l.n.forget(l)
	call(l.onClose)
	l.tell()
}

// Refuse is what becomes of a request that has arrived at a server whose process
// is gone: it is lost, and the connection breaks.
func (l *Link) Refuse(r *Request) {
	l.lose(toServer, r.ID)
	l.Break()
}

// tell lets the client know. One that is paused learns it when it goes on.
func (l *Link) tell() {
	switch {
	case l.client.Dead():
	case l.client.Paused():
		l.client.After(0, func() { call(l.onBreak) })
	default:
		call(l.onBreak)
	}
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// Disconnect breaks all connections of the client named client.
func (n *Network) Disconnect(client string) {
	n.rec.Add(trace.Event{Actor: client, Kind: trace.KindFault, Text: "loses its connections"})
	for _, l := range n.linksOf(func(l *Link) bool { return l.client.Name() == client }) {
		l.Break()
	}
}

// BreakAll breaks all connections to the server, as happens when its process
// dies.
func (n *Network) BreakAll(server string) {
	for _, l := range n.linksOf(func(l *Link) bool { return l.server == server }) {
		l.Break()
	}
}

// closeAll ends the connections of a process that is gone, in the order in which
// they were made.
func (n *Network) closeAll(client *kernel.Process) {
	for _, l := range n.linksOf(func(l *Link) bool { return l.client == client }) {
		l.Close()
	}
}

// linksOf selects open connections.
func (n *Network) linksOf(wanted func(*Link) bool) []*Link {
	return slices.DeleteFunc(slices.Clone(n.links), func(l *Link) bool { return !wanted(l) })
}

func (n *Network) forget(l *Link) {
	n.links = slices.DeleteFunc(n.links, func(o *Link) bool { return o == l })
}

// CrashProcess crashes proc and records it. The operating system lives on and
// closes its connections.
func (n *Network) CrashProcess(proc *kernel.Process) {
	proc.Crash()
	n.rec.Add(trace.Event{Actor: proc.Name(), Kind: trace.KindFault, Text: "crashes", State: trace.StateCrashed})
	n.closeAll(proc)
}

// LoseHost ends proc together with its host: nobody closes its connections, and
// the servers hear nothing more.
func (n *Network) LoseHost(proc *kernel.Process) {
	proc.Crash()
	n.rec.Add(trace.Event{Actor: proc.Name(), Kind: trace.KindFault, Text: "is lost with its host", State: trace.StateCrashed})
}

// EndProcess ends proc in the given state, by its own doing: what the trace says
// of it is up to the caller.
func (n *Network) EndProcess(proc *kernel.Process, state trace.ActorState) {
	switch state {
	case trace.StateExited:
		proc.Exit()
	case trace.StateCrashed:
		proc.Crash()
	default:
		return
	}
	n.closeAll(proc)
}
