package engine

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Ticket is one attempt to get a lock, and its node. It belongs to one task at a
// time: to the one that makes the node until that has an outcome, then to the
// one that waits for it.
type Ticket struct {
	key    string
	parent string // the path of the queue
	kind   Kind
	turn   Turn
	owner  string        // asked for by the caller; empty for a grant without one
	limit  time.Duration // of a fixed lease, else 0

	// id stands in the name of the node. By it the node is found again when
	// the answer to its creation was lost.
	id      string
	settled clock.Event // the creation under way has an outcome
	doubt   bool        // a node may have been made
	name    string      // of the node, empty until it is known
	czxid   int64
	session zkconn.Session
	// contact is when the last request was sent that was answered.
	contact time.Time
	began   time.Time // the grant
	crowded bool      // others were in the queue behind it
	czxids  map[string]int64
}

func (e *Engine) newTicket(a Ask, key string, r lock.Request) (*Ticket, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	t := &Ticket{
		key: key, parent: e.cfg.Base + "/" + e.Path(key), kind: a.Kind, turn: a.Turn,
		owner: r.Owner, id: e.cfg.NewOwner(),
	}
	switch {
	case r.Owner != "" && !a.Reentrant:
		return nil, fmt.Errorf("%w: this lock is not reentrant, so it takes no owner", lock.ErrInvalid)
	case r.TTL < 0 || r.Fixed && r.TTL == 0:
		return nil, fmt.Errorf("%w: a lease of %v", lock.ErrInvalid, r.TTL)
	case r.TTL > 0 && !r.Fixed:
		return nil, fmt.Errorf("%w: a lock on ZooKeeper has no TTL of its own, it lives with its session; set the session timeout, or ask for a fixed lease", lock.ErrInvalid)
	}
	t.limit = r.TTL
	return t, nil
}

// protected begins the name of the node, as the names of go-zookeeper and
// Curator do that are meant to be found again.
func (t *Ticket) protected() string { return "_c_" + t.id }

// prefix is the path of the node without its sequence number.
func (t *Ticket) prefix() string { return t.parent + "/" + t.protected() + "-" + string(t.kind) }

// Sibling is the path of another node in the same queue.
func (t *Ticket) Sibling(name string) string { return t.parent + "/" + name }

// Owns reports whether a node is the ticket's own.
func (t *Ticket) Owns(name string) bool { return name == t.name }

// Next is that of the ticket's Turn, for a node that nobody has passed.
func (t *Ticket) Next(q []Entry, own int) (step Step, granted bool) {
	step = t.turn.Next(q, own, nil)
	return step, step.granted()
}

// Heard notes that the server was heard of at a time.
func (t *Ticket) Heard(at time.Time) { t.contact = at }

func (t *Ticket) path() string { return t.parent + "/" + t.name }

// deadline is until when the session is sure to live, as far as sent tells, or
// until the end of a fixed lease.
func (t *Ticket) deadline(sent time.Time) time.Time {
	d := sent.Add(t.session.Timeout)
	if t.limit > 0 && t.began.Add(t.limit).Before(d) {
		return t.began.Add(t.limit)
	}
	return d
}

// identity is what the lease calls its owner.
func (t *Ticket) identity() string {
	if t.owner != "" {
		return t.owner
	}
	return t.id
}
