// Package network carries messages between simulated processes and stores, and
// is where faults of messages and faults at the places of messages strike.
//
// A request and its answer are one exchange. Each connection keeps the order of
// its messages, as TCP does: what is held back holds back what comes after it.
// What belongs here: latency, loss, delay, partitions, and the places "before"
// and "after" a command. What does not: what the messages mean.
package network

import (
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Network connects processes. It belongs to one run.
type Network struct {
	k       *kernel.Kernel
	rec     *record.Recorder
	latency time.Duration
	faults  *Faults
	places  map[string][]string // by actor: the commands it has sent, in order of first use
	links   []*Link             // the open ones, in the order in which they were made
}

// New makes a network in which a message takes latency one way.
func New(k *kernel.Kernel, rec *record.Recorder, latency time.Duration, faults *Faults) *Network {
	return &Network{k: k, rec: rec, latency: latency, faults: faults, places: map[string][]string{}}
}

// Kernel is the run that the network belongs to.
func (n *Network) Kernel() *kernel.Kernel { return n.k }

// Latency is the time that a message takes one way.
func (n *Network) Latency() time.Duration { return n.latency }

// Link is one connection between a client and a server. Messages in one
// direction arrive in the order in which they were sent.
type Link struct {
	n       *Network
	client  *kernel.Process
	server  string
	arrival [2]kernel.Time // of the latest message, by direction

	onClose, onBreak func()
	closed           bool // by the client; the server may not know yet
	broken           bool
}

// Direction of a message on a link.
const (
	toServer = 0
	toClient = 1
)

// Dial makes a connection from client to the actor named server.
func (n *Network) Dial(client *kernel.Process, server string) *Link {
	l := &Link{n: n, client: client, server: server}
	n.links = append(n.links, l)
	return l
}

// Client is the process that made the connection.
func (l *Link) Client() *kernel.Process { return l.client }

// Request is a message from a client to a server.
type Request struct {
	// Command is the name by which faults find it, such as SET.
	Command string
	// Text is the whole of it in one line.
	Text string
	// Wakes tells that the answer wakes a client that has waited for a change. A
	// server sets it before it answers a query that blocked.
	Wakes bool
	// ID of the exchange, set by Send.
	ID int

	answered bool
}

// Send sends r. It must be called from a task of the client; a fault placed
// before the command strikes here. deliver is called at the server when the
// request arrives, which it may never do.
func (l *Link) Send(r *Request, deliver func()) {
	n := l.n
	n.visit(l.client.Name(), r.Command)
	rules := n.faults.match(l.client.Name(), r.Command)
	if n.strike(rules, BeforeSend, l.client) {
		n.k.Yield() // a crash or pause takes effect here
	}
	r.ID = n.rec.NewMessage()
	n.rec.Add(trace.Event{Actor: l.client.Name(), Kind: trace.KindSend, Text: r.Text, Peer: l.server, Msg: r.ID})
	n.faults.remember(r.ID, rules)
	l.transmit(toServer, rules.of(OnRequest), r.ID, deliver)
}

// Server is the name of the actor at the other end.
func (l *Link) Server() string { return l.server }

// Answer sends the answer to r back. receive is called at the client when it
// arrives; text is the answer in a few words. A fault placed after the command
// strikes then, before the client acts on the answer.
func (l *Link) Answer(r *Request, text string, receive func()) {
	if r.answered {
		return // the answer to a duplicate: the client has no use for it
	}
	r.answered = true
	rules := l.n.faults.recall(r.ID)
	l.transmit(toClient, rules.of(OnReply), r.ID, func() {
		l.n.rec.Add(trace.Event{
			Actor: l.client.Name(), Kind: trace.KindReceive, Text: r.Text, Reply: text, Peer: l.server, Msg: r.ID, Wake: r.Wakes,
		})
		receive()
		l.n.strike(rules, AfterReceive, l.client)
	})
}

// Push sends the client a message that it did not ask for now. Faults find it
// as a request of the client named command.
func (l *Link) Push(command, text string, receive func()) {
	n := l.n
	n.visit(l.client.Name(), command)
	rules := n.faults.match(l.client.Name(), command)
	id := n.rec.NewMessage()
	n.rec.Add(trace.Event{Actor: l.server, Kind: trace.KindPush, Text: text, Peer: l.client.Name(), Msg: id})
	l.transmit(toClient, append(rules.of(OnRequest), rules.of(OnReply)...), id, func() {
		n.rec.Add(trace.Event{Actor: l.client.Name(), Kind: trace.KindReceive, Text: text, Peer: l.server, Msg: id, Wake: true})
		receive()
		n.strike(rules, AfterReceive, l.client)
	})
}

// transmit schedules the arrival of a message, subject to faults.
func (l *Link) transmit(direction int, rules matched, id int, arrive func()) {
	n := l.n
	at := n.k.Now() + kernel.Time(n.latency)
	lost, breaks, twice := l.cut(direction), false, false
	for _, r := range rules {
		switch f := r.Do.(type) {
		case Drop:
			lost = true
		case Delay:
			at += kernel.Time(f.By)
		case Hold:
			at = max(at, kernel.Time(f.Until))
		case Break:
			breaks = true
		case Duplicate:
			twice = true
		}
	}
	if lost || breaks {
		n.k.At(at, func() {
			l.lose(direction, id)
			if breaks {
				l.Break()
			}
		})
		return
	}
	at = max(at, l.arrival[direction])
	l.arrival[direction] = at
	if direction == toClient {
		n.k.At(at, func() { l.reach(id, arrive) })
		return
	}
	for range 1 + present(twice) {
		n.k.At(at, func() { l.arrive(id, arrive) })
	}
}

func present(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cut reports whether a message in this direction is lost.
func (l *Link) cut(direction int) bool {
	from, to := l.client.Name(), l.server
	if direction == toClient {
		from, to = to, from
	}
	return l.broken || l.n.Cut(from, to)
}

// arrive hands a request to the server, unless the connection broke meanwhile.
func (l *Link) arrive(id int, arrive func()) {
	if l.broken {
		l.lose(toServer, id)
		return
	}
	arrive()
}

// reach hands an answer to the client. A dead one never gets it; for a paused
// one it waits in the socket until the pause is over.
func (l *Link) reach(id int, arrive func()) {
	switch {
	case l.client.Dead() || l.broken:
		l.lose(toClient, id)
	case l.client.Paused():
		l.client.After(0, arrive)
	default:
		arrive()
	}
}

func (l *Link) lose(direction, id int) {
	from, to := l.client.Name(), l.server
	text := "the request is lost"
	if direction == toClient {
		from, to, text = to, from, "the answer is lost"
	}
	l.n.rec.Add(trace.Event{Actor: from, Kind: trace.KindLost, Text: text, Peer: to, Msg: id})
}

// visit notes a place that the run has reached.
func (n *Network) visit(actor, command string) {
	if !slices.Contains(n.places[actor], command) {
		n.places[actor] = append(n.places[actor], command)
	}
}

// Places are the commands that actor has sent, in order of first use: the places
// at which a fault could have been set.
func (n *Network) Places(actor string) []string { return n.places[actor] }
