package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// ownerKey names what can be re-entered.
type ownerKey struct{ key, owner string }

// Hold is a node at its turn, and the leases that live on it: one, or as many as
// its owner has entered. It ends with the last of them or with the node.
type Hold struct {
	*lock.Grant
	e    *Engine
	t    *Ticket
	stop func() // what looks after it

	decided clock.Event // the first attempt of the owner has an outcome

	// Guarded by the engine's mutex.
	leases map[*Lease]struct{}
	writes int  // leases other than for reading
	shared bool // its node lets readers pass
}

func (e *Engine) newHold(t *Ticket) *Hold {
	return &Hold{e: e, t: t, decided: e.clk.NewEvent(), leases: make(map[*Lease]struct{})}
}

// begin turns a ticket at its turn into a hold with one lease.
func (h *Hold) begin() (*Lease, error) {
	e, t := h.e, h.t
	h.Grant = lock.NewGrant(e.clk, lock.GrantInfo{
		Key: t.key, Owner: t.identity(),
		Token: lock.Token(t.czxid), HasToken: true,
		Deadline: t.deadline(t.contact),
	})
	h.shared = t.kind == Read
	e.mu.Lock()
	l := h.add(t.kind)
	e.mu.Unlock()
	h.OnEnd(h.ended)
	h.stop = e.Keep(h)

	switch {
	case !h.enlist():
		h.stop()
		if h.End(lock.ErrClosed) {
			e.discard(t)
		}
		return nil, notAcquired(lock.ErrClosed)
	case e.conn.Session().ID != t.session.ID:
		h.End(lock.ErrSessionExpired) // which the engine was told before it knew this hold
	}
	return l, nil
}

// enlist makes the hold known, unless it has ended, and reports false when the
// engine was closed meanwhile.
func (h *Hold) enlist() bool {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	if h.Err() == nil {
		h.e.live[h] = struct{}{}
	}
	return !h.e.closed
}

// add gives the hold another lease. The caller holds the engine's mutex.
func (h *Hold) add(k Kind) *Lease {
	l := &Lease{
		Grant: lock.NewGrant(h.e.clk, lock.GrantInfo{
			Key: h.t.key, Owner: h.t.identity(), Token: lock.Token(h.t.czxid), HasToken: true,
		}),
		hold: h, kind: k,
	}
	h.leases[l] = struct{}{}
	if k != Read {
		h.writes++
	}
	return l
}

// keep renews the hold, by a third of the session timeout as is the custom.
func (e *Engine) keep(h *Hold) (stop func()) {
	return lock.StartWatchdog(e.clk, h.Grant, lock.Renewal{
		From: h.t.contact, Every: h.t.session.Timeout / 3, Timeout: e.requestTimeout(),
		Renew: h.renew,
	}).Stop
}

// renew makes sure that session and node are still there, and returns until when
// they are sure to be. The pings of the client do not tell: a server that is cut
// off from the others answers them, and reads too. The sync goes to the leader.
func (h *Hold) renew(ctx context.Context) (time.Time, error) {
	e, t := h.e, h.t
	sent := e.clk.Now()
	if e.conn.Session().ID != t.session.ID {
		h.End(lock.ErrSessionExpired)
		return sent, lock.ErrSessionExpired
	}
	if err := e.conn.Sync(ctx, t.path()); err != nil {
		return sent, err
	}
	n, err := e.conn.Get(ctx, t.path())
	if errors.Is(err, zkconn.ErrNoNode) || err == nil && n.Owner != t.session.ID {
		return sent, fmt.Errorf("%w: its node is gone", lock.ErrNotHeld)
	}
	return t.deadline(sent), err
}

// ended ends the leases of a hold that has ended, whatever the reason. A node
// whose hold was lost may still be there, for all that is known, and would keep
// everybody waiting for as long as the session lives.
func (h *Hold) ended() {
	e, reason := h.e, h.Err()
	for _, l := range h.forget() {
		l.End(reason)
	}
	if errors.Is(reason, lock.ErrLost) {
		e.discard(h.t)
	}
}

// forget takes the hold out of the engine and returns the leases that it had.
func (h *Hold) forget() []*Lease {
	e := h.e
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, h)
	if k := (ownerKey{h.t.key, h.t.owner}); e.owned[k] == h {
		delete(e.owned, k)
	}
	leases := make([]*Lease, 0, len(h.leases))
	for l := range h.leases {
		leases = append(leases, l)
	}
	clear(h.leases)
	return leases
}

// sessionEnded ends the holds of a session that has expired.
func (e *Engine) sessionEnded(id int64) {
	e.mu.Lock()
	var lost []*Hold
	for h := range e.live {
		if h.t.session.ID == id {
			lost = append(lost, h)
		}
	}
	e.mu.Unlock()
	for _, h := range lost {
		h.End(lock.ErrSessionExpired)
	}
}
