package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Observed is a session that can say what it has locked and what it waits for.
type Observed interface {
	Session
	State() SessionState
	// View runs a query about what the session sees: its own changes, and
	// otherwise its snapshot if it has one.
	View(query string) ([][]driver.Value, error)
}

// SessionState is what a session is doing.
type SessionState struct {
	State string    // in transaction, waiting or aborted; empty when it is idle
	Holds []string  // what it has locked, in the order of locking
	Waits string    // what it waits for
	For   []Session // and who is in its way
}

// Spontaneous is an engine in which things happen without a statement.
type Spontaneous interface {
	// OnChange sets what is called when something has happened to a session.
	OnChange(f func(text string, s Session))
}

// RowLocker is an engine whose sessions lock rows.
type RowLocker interface {
	// LockedBy is the session that has locked the row with the given primary
	// key, or nil.
	LockedBy(table, key string) Session
}

// happened records what has befallen a session.
func (n *Node) happened(text string, s Session) {
	c := n.connOf(s)
	if c == nil {
		return
	}
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: c.name + ": " + text}
	n.settle(&e)
	n.rec.Add(e)
}

// pending records that a statement waits, if it does.
func (n *Node) pending(c *conn) {
	o, ok := c.session.(Observed)
	if !ok {
		return
	}
	st := o.State()
	if st.Waits == "" {
		return
	}
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: fmt.Sprintf(
		"%s waits for %s, behind %s", c.name, st.Waits, strings.Join(n.namesOf(st.For), ", "))}
	n.settle(&e)
	n.rec.Add(e)
}

func (n *Node) connOf(s Session) *conn {
	for _, c := range n.open {
		if c.session == s {
			return c
		}
	}
	return nil
}

func (n *Node) namesOf(list []Session) (out []string) {
	for _, s := range list {
		if c := n.connOf(s); c != nil {
			out = append(out, c.name)
		}
	}
	return out
}

// lockedBy is the client whose session has locked the row of a lock, where locks
// are rows that are locked.
func (n *Node) lockedBy(lock string) string {
	engine, ok := n.engine.(RowLocker)
	if !ok || n.cfg.LockTable == "" {
		return ""
	}
	if c := n.connOf(engine.LockedBy(n.cfg.LockTable, lock)); c != nil {
		return c.link.Client().Name()
	}
	return ""
}

// observe adds to e the sessions that have changed.
func (n *Node) observe(e *trace.Event) {
	for _, c := range n.open {
		o, ok := c.session.(Observed)
		if !ok {
			continue
		}
		st := o.State()
		now := trace.SessionChange{
			Store: n.Name(), Name: c.name, Actor: c.link.Client().Name(), Gone: st.State == "",
			State: st.State, Sees: n.sees(o, st), Holds: st.Holds, Waits: st.Waits, For: n.namesOf(st.For),
		}
		if c.told.State == "" && now.Gone || reflect.DeepEqual(c.told, now) {
			continue
		}
		c.told = now
		e.Sessions = append(e.Sessions, now)
	}
}

// sees is what is different for a session from what is committed.
func (n *Node) sees(o Observed, st SessionState) string {
	if st.State == "" {
		return ""
	}
	var parts []string
	for _, view := range n.cfg.Rows {
		rows, err := o.View(view)
		committed, failed := n.engine.View(view)
		if err == nil && failed == nil {
			parts = append(parts, difference(rows, committed)...)
		}
	}
	return strings.Join(parts, ", ")
}

// difference says how the rows that a session sees differ from what is committed.
func difference(seen, committed [][]driver.Value) (parts []string) {
	find := func(rows [][]driver.Value, key driver.Value) int {
		return slices.IndexFunc(rows, func(r []driver.Value) bool { return r[0] == key })
	}
	for _, r := range seen {
		if i := find(committed, r[0]); i < 0 || committed[i][1] != r[1] {
			parts = append(parts, fmt.Sprintf("%v=%v", r[0], r[1]))
		}
	}
	for _, r := range committed {
		if find(seen, r[0]) < 0 {
			parts = append(parts, fmt.Sprintf("no %v", r[0]))
		}
	}
	return parts
}
