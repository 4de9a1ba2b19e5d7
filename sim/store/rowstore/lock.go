package rowstore

import (
	"database/sql/driver"
	"fmt"
	"slices"
)

// gap is an open interval of an index into which nobody else may insert. Ends
// that are nil are open for ever.
type gap struct {
	table  *table
	index  int
	lo, hi []driver.Value
}

func (g gap) contains(entry []driver.Value) bool {
	return (g.lo == nil || compareAll(g.lo, entry) < 0) && (g.hi == nil || compareAll(entry, g.hi) < 0)
}

// String is how a gap is shown.
func (g gap) String() string {
	end := func(key []driver.Value, open string) string {
		if key == nil {
			return open
		}
		return fmt.Sprint(key[0])
	}
	return "gap " + end(g.lo, "…") + " to " + end(g.hi, "…")
}

// name is how a row is shown: by its first column, which every table here is
// looked up by.
func (r *row) name() string {
	if values := r.newest(r.locker); len(values) > 0 {
		return "row " + fmt.Sprint(values[0])
	}
	return "row " + fmt.Sprint(r.key[0])
}

// free reports whether tx may lock a row: nobody else has it, and nobody else
// waits for it, unless tx has it already.
func (db *DB) free(r *row, tx *transaction) bool {
	others := func(o *transaction) bool { return o != tx }
	if slices.ContainsFunc(r.sharers, others) {
		return false
	}
	waits := func(w *wait) bool { return w.row == r && !w.inserts && w.running.tx != tx }
	return r.locker == tx || r.locker == nil && !slices.ContainsFunc(db.waits, waits)
}

// wait is a statement that waits for a row or, with row nil, for gaps.
type wait struct {
	running *running
	row     *row
	inserts bool // it does not want the row, but to know what becomes of it
	gap     *gap // that it keeps inserts out of while it waits, or nil
	table   *table
	entries [][]driver.Value // by index: where the new row belongs
	cancel  []func()
}

func (w *wait) name() string {
	if w.row != nil {
		return w.row.name()
	}
	return "gap before " + fmt.Sprint(w.entries[0][0])
}

// blockers are the transactions in the way of w, the ones before it in the queue
// included.
func (db *DB) blockers(w *wait) (out []*transaction) {
	add := func(tx *transaction) {
		if tx != nil && tx != w.running.tx && !slices.Contains(out, tx) {
			out = append(out, tx)
		}
	}
	if w.row == nil {
		for _, tx := range db.transactions() {
			if tx != w.running.tx && slices.ContainsFunc(tx.gaps, w.wantsInto) {
				add(tx)
			}
		}
		for _, earlier := range db.before(w) {
			if earlier.gap != nil && w.wantsInto(*earlier.gap) {
				add(earlier.running.tx)
			}
		}
		return out
	}
	add(w.row.locker)
	if !w.inserts {
		for _, tx := range w.row.sharers {
			add(tx)
		}
	}
	for _, earlier := range db.before(w) {
		if earlier.row == w.row {
			add(earlier.running.tx)
		}
	}
	return out
}

// before are the waits before w in the queue: all of them, if w is not in it.
func (db *DB) before(w *wait) []*wait {
	if i := slices.Index(db.waits, w); i >= 0 {
		return db.waits[:i]
	}
	return db.waits
}

// wantsInto reports whether the new row that w is about belongs into a gap.
func (w *wait) wantsInto(g gap) bool { return g.table == w.table && g.contains(w.entries[g.index]) }

// transactions are those that are under way, in the order of the sessions.
func (db *DB) transactions() (out []*transaction) {
	for _, s := range db.sessions {
		if tx := s.current(); tx != nil {
			out = append(out, tx)
		}
	}
	return out
}

// enqueue lets a statement wait: for a time, and not in a circle.
func (db *DB) enqueue(w *wait) {
	s := w.running.session
	s.waiting = w
	db.waits = append(db.waits, w)
	if limit := s.lockWait; limit > 0 {
		w.cancel = append(w.cancel, db.cfg.After(limit, func() { db.giveUp(w, lockTimeout) }))
	}
	if db.innodb() {
		if victim := db.lightest(db.circle(w)); victim != nil {
			db.giveUp(victim, deadlock)
		}
		return
	}
	w.cancel = append(w.cancel, db.cfg.After(deadlockTimeout, func() {
		if len(db.circle(w)) > 0 {
			db.giveUp(w, deadlock)
		}
	}))
}

// forget takes a wait out of the queue.
func (db *DB) forget(w *wait) {
	w.running.session.waiting = nil
	for _, cancel := range w.cancel {
		cancel()
	}
	db.waits = slices.DeleteFunc(db.waits, func(o *wait) bool { return o == w })
}

// giveUp ends a wait with an error.
func (db *DB) giveUp(w *wait, why fault) {
	db.forget(w)
	db.finish(w.running, failed(db.fail(why)))
}

// wake lets the first statements in the queues go on whose way is free. All of
// them have what they waited for before any of them goes on and wants more.
func (db *DB) wake() {
	for ready := db.granted(); len(ready) > 0; ready = db.granted() {
		for _, w := range ready {
			db.attempt(w.running)
		}
	}
}

// granted takes the waits out of the queues whose way is free, and locks the rows
// for them.
func (db *DB) granted() (ready []*wait) {
	for {
		i := slices.IndexFunc(db.waits, func(w *wait) bool { return len(db.blockers(w)) == 0 })
		if i < 0 {
			return ready
		}
		w := db.waits[i]
		db.forget(w)
		if w.row != nil && !w.inserts {
			w.running.tx.lock(w.row)
		}
		ready = append(ready, w)
	}
}

// circle is the waits of a deadlock that w is part of, w first; none if there is
// no deadlock.
func (db *DB) circle(w *wait) []*wait {
	var path []*wait
	seen := map[*wait]bool{}
	var visit func(*wait) bool
	visit = func(at *wait) bool {
		seen[at], path = true, append(path, at)
		for _, tx := range db.blockers(at) {
			next := tx.session.waiting
			if next == w || next != nil && !seen[next] && visit(next) {
				return true
			}
		}
		path = path[:len(path)-1]
		return false
	}
	if visit(w) {
		return path
	}
	return nil
}

// lightest is the victim that InnoDB chooses: the transaction with the fewest
// locks and changes, and the last one to wait among equals.
func (db *DB) lightest(circle []*wait) (victim *wait) {
	least := 0
	for _, w := range circle {
		tx := w.running.tx
		weight := len(tx.locks) + len(tx.gaps) + len(tx.undo)
		if victim == nil || weight < least {
			victim, least = w, weight
		}
	}
	return victim
}
