package rowstore

import (
	"database/sql/driver"
	"slices"

	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// running is a statement that is being executed, or waits.
type running struct {
	session  *session
	st       *statement
	err      error // of reading it
	tx       *transaction
	mark     int   // how many changes the transaction had before
	snapshot int64 // PostgreSQL: of the statement
	done     func(sqlstore.Answer)
}

func failed(err error) sqlstore.Answer { return sqlstore.Answer{Err: err} }

// attempt executes a statement from its beginning. It ends with an answer or
// with a wait.
func (db *DB) attempt(r *running) {
	s := r.session
	if s.tx != nil && s.tx.broken && (r.err != nil || !slices.Contains([]string{"ROLLBACK", "ROLLBACK TO", "COMMIT"}, r.st.verb)) {
		db.answer(r, failed(db.fail(aborted)))
		return
	}
	if r.tx == nil && s.tx != nil {
		r.tx, r.mark = s.tx, len(s.tx.undo)
	}
	if r.err != nil {
		db.finish(r, failed(r.err))
		return
	}
	if a, isControl := s.control(r.st); isControl {
		if a.Err != nil {
			db.fell(r, a.Err)
		}
		db.answer(r, a)
		return
	}
	if r.tx == nil {
		r.tx = newTransaction(s, false)
	}
	a, w := db.execute(r)
	if w != nil {
		r.tx.back(r.mark)
		db.enqueue(w)
		return
	}
	db.finish(r, a)
}

// finish ends a statement: what it did is undone after an error, and one outside
// a transaction commits.
func (db *DB) finish(r *running, a sqlstore.Answer) {
	switch {
	case a.Err != nil:
		db.fell(r, a.Err)
	case r.tx != nil && !r.tx.explicit:
		db.commit(r.tx)
	}
	db.answer(r, a)
}

// fell undoes what an error undoes: everything outside a transaction and for the
// victim of a deadlock on InnoDB; else the statement, and PostgreSQL aborts the
// transaction.
func (db *DB) fell(r *running, err error) {
	switch {
	case r.tx == nil:
	case !r.tx.explicit || db.innodb() && isDeadlock(err):
		db.rollback(r.tx)
	case db.innodb():
		r.tx.back(r.mark)
	default:
		// What came after the last savepoint is gone at once, its locks included;
		// the client still has to say ROLLBACK.
		if n := len(r.tx.saved); n > 0 {
			r.tx.backTo(n - 1)
		} else {
			r.tx.back(0)
			r.tx.unlock(0)
		}
		r.tx.broken = true
	}
}

// answer tells the client, and then lets others go on.
func (db *DB) answer(r *running, a sqlstore.Answer) {
	r.session.startIdling()
	r.done(a)
	db.wake()
}

func (db *DB) execute(r *running) (sqlstore.Answer, *wait) {
	st := r.st
	if st.verb == "CREATE" {
		if _, exists := db.tables[st.table]; !exists {
			db.tables[st.table] = st.def
		}
		return sqlstore.Answer{Affected: -1}, nil
	}
	if st.table == "" { // SELECT 1
		return (&table{}).project(st, []hit{{}}), nil
	}
	t, err := db.table(st.table)
	if err != nil {
		return failed(err), nil
	}
	switch {
	case st.verb == "INSERT":
		return db.insert(r, t)
	case st.verb == "SELECT" && st.lock == noLock:
		return t.read(st, r.tx, db.snapshot(r)), nil
	}
	found, w, err := db.lockRows(r, t)
	if err != nil || w != nil {
		return failed(err), w
	}
	if st.verb == "SELECT" {
		return t.project(st, found), nil
	}
	return db.modify(r, t, found)
}

// snapshot is what a plain SELECT sees.
func (db *DB) snapshot(r *running) int64 {
	if !db.innodb() {
		return r.snapshot
	}
	if r.tx.snapshot < 0 {
		r.tx.snapshot = db.commits
	}
	return r.tx.snapshot
}

// modify updates or deletes rows, which are locked.
func (db *DB) modify(r *running, t *table, found []hit) (sqlstore.Answer, *wait) {
	affected := int64(0)
	for _, h := range found {
		var values []driver.Value
		if r.st.verb == "UPDATE" {
			var err error
			if values, err = t.assign(r.st.set, h.values); err != nil {
				return failed(err), nil
			}
			if db.innodb() && compareAll(values, h.values) == 0 {
				continue // InnoDB does not count it
			}
		}
		r.tx.change(t, h.row, values)
		affected++
	}
	return sqlstore.Answer{Affected: affected}, nil
}

// assign are the values after SET.
func (t *table) assign(set []assignment, old []driver.Value) ([]driver.Value, error) {
	values := slices.Clone(old)
	for _, a := range set {
		v, err := t.value(a.value, old)
		if err != nil {
			return nil, err
		}
		values[t.column(a.column)] = v
	}
	return values, nil
}
