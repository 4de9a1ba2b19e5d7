package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Begin records what is in the database before anything has happened, if there
// is something.
func (n *Node) Begin() {
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote}
	n.settle(&e)
	var parts []string
	for _, c := range e.Changes {
		parts = append(parts, c.Key+" = "+c.Value)
	}
	if len(parts) > 0 {
		e.Text = "at the beginning: " + strings.Join(parts, ", ")
		n.rec.Add(e)
	}
}

// settle adds to e what is different from the last record, and makes sure that
// the end of a lease is noticed when it comes.
func (n *Node) settle(e *trace.Event) {
	now := map[string]trace.KeyChange{}
	clear(n.ends)
	for _, view := range n.cfg.Views {
		rows, err := n.engine.View(view)
		if err != nil {
			n.net.Kernel().Fail(fmt.Errorf("%s: %w", view, err))
			return
		}
		for _, row := range rows {
			c := n.shown(row)
			now[c.Key] = c
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if old, known := n.keys[key]; !known || old != now[key] {
			e.Changes = append(e.Changes, now[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(n.keys)) {
		if _, exists := now[key]; !exists {
			e.Changes = append(e.Changes, trace.KeyChange{Store: n.Name(), Key: key, Deleted: true})
		}
	}
	n.keys = now
	n.judge(e)
	n.observe(e)
	n.schedule()
}

// never is the least number of milliseconds since 1970 that stands for no end:
// ten years after the start of a run.
var never = kernel.Epoch.AddDate(10, 0, 0).UnixMilli()

// shown is a row as a key of the store. The full TTL is kept from the moment at
// which the end was written.
func (n *Node) shown(row []driver.Value) trace.KeyChange {
	c := trace.KeyChange{Store: n.Name(), Key: fmt.Sprint(row[0]), Value: fmt.Sprint(row[1])}
	end, ok := row[2].(int64)
	if !ok || end >= never {
		return c
	}
	n.ends[c.Key] = end
	at := time.UnixMilli(end)
	c.Expires, c.TTL = int64(n.proc.Virtual(at)), int64(at.Sub(n.proc.Now()))
	if old, known := n.keys[c.Key]; known && old.Expires == c.Expires && old.Value == c.Value {
		c.TTL = old.TTL
	}
	c.TTL = max(c.TTL, 0)
	return c
}

// over reports whether the time of a row has passed. The statements of the locks
// compare whole milliseconds, and the last one still belongs to the lease.
func (n *Node) over(key string) bool {
	end, ends := n.ends[key]
	return ends && n.proc.Now().UnixMilli() > end
}

// judge adds to e who owns the locks, where that changed.
func (n *Node) judge(e *trace.Event) {
	for _, lock := range n.cfg.Locks {
		t := trace.Truth{Lock: lock}
		k, exists := n.keys[lock]
		if client := n.cfg.Owner(k.Value); exists && client != k.Value && !n.over(lock) {
			t.Grant, t.Owner = k.Value, client
		}
		if client := n.lockedBy(lock); client != "" {
			t.Owner, t.Grant = client, "" // the transaction is the lock, not what stands in the row
		}
		if old := n.truths[lock]; t != old && (t.Owner != "" || old.Owner != "") {
			n.truths[lock] = t
			e.Truths = append(e.Truths, t)
		}
	}
}

// schedule wakes the node when the next lease is over.
func (n *Node) schedule() {
	if n.expiry != nil {
		n.net.Kernel().Cancel(n.expiry)
		n.expiry = nil
	}
	var next int64
	for key, end := range n.ends {
		if !n.over(key) && (next == 0 || end < next) {
			next = end
		}
	}
	if next != 0 {
		n.expiry = n.net.Kernel().At(n.proc.Virtual(time.UnixMilli(next+1)), n.expire)
	}
}

// expire records leases that are over. Nothing happens in the database: the row
// stays as it is, and only who asks for the lock finds out.
func (n *Node) expire() {
	n.expiry = nil
	e := trace.Event{Actor: n.Name(), Kind: trace.KindExpire}
	n.settle(&e)
	var names []string
	for _, t := range e.Truths {
		names = append(names, t.Lock)
	}
	if len(names) > 0 {
		e.Text = "the lease on " + strings.Join(names, ", ") + " is over, its row stays"
		n.rec.Add(e)
	}
}
