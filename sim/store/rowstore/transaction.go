package rowstore

import (
	"database/sql/driver"
	"slices"
)

// transaction is one that a session has begun, or that lasts for one statement.
type transaction struct {
	session  *session
	explicit bool  // begun by BEGIN
	broken   bool  // PostgreSQL: an error has aborted it
	snapshot int64 // InnoDB: of the first plain SELECT; -1 before it
	locks    []*row
	shares   []*row
	gaps     []gap
	undo     []undo
	saved    []savepoint
}

// undo is how to take back one change of a row.
type undo struct {
	table  *table
	row    *row
	before *version
}

type savepoint struct {
	name        string
	undo, locks int
}

func newTransaction(s *session, explicit bool) *transaction {
	return &transaction{session: s, explicit: explicit, snapshot: -1}
}

// change makes new values of a row that the transaction has locked.
func (tx *transaction) change(t *table, r *row, values []driver.Value) {
	tx.undo = append(tx.undo, undo{t, r, r.pending})
	r.pending = &version{values: values}
}

// lock gives the transaction a row that is free.
func (tx *transaction) lock(r *row) {
	if r.locker != tx {
		r.locker = tx
		tx.locks = append(tx.locks, r)
	}
}

// share keeps a row as it is until the transaction ends. InnoDB does that with a
// row that a unique index has found in the way of an INSERT.
func (tx *transaction) share(r *row) {
	if !slices.Contains(tx.shares, r) {
		r.sharers = append(r.sharers, tx)
		tx.shares = append(tx.shares, r)
	}
}

// back takes back all changes but the first n.
func (tx *transaction) back(n int) {
	for _, u := range slices.Backward(tx.undo[n:]) {
		u.row.pending = u.before
		u.table.forget(u.row)
	}
	tx.undo = tx.undo[:n]
}

// forget removes a row that has never existed for anybody.
func (t *table) forget(r *row) {
	if r.pending != nil || len(r.committed) > 0 {
		return
	}
	if i, found := t.find(r.key); found && t.rows[i] == r {
		t.rows = slices.Delete(t.rows, i, i+1)
	}
}

// unlock frees all rows but the first n.
func (tx *transaction) unlock(n int) {
	for _, r := range tx.locks[n:] {
		r.locker = nil
	}
	tx.locks = tx.locks[:n]
}

// commit makes the changes those of everybody. Rows are free afterwards.
func (db *DB) commit(tx *transaction) {
	db.commits++
	for _, u := range tx.undo {
		if u.row.pending != nil {
			u.row.committed = append(u.row.committed, version{db.commits, u.row.pending.values})
			u.row.pending = nil
		}
	}
	tx.undo = nil
	db.end(tx)
}

// rollback undoes a transaction.
func (db *DB) rollback(tx *transaction) {
	tx.back(0)
	db.end(tx)
}

func (db *DB) end(tx *transaction) {
	tx.unlock(0)
	for _, r := range tx.shares {
		r.sharers = slices.DeleteFunc(r.sharers, func(o *transaction) bool { return o == tx })
	}
	tx.shares, tx.gaps = nil, nil
	if tx.session.tx == tx {
		tx.session.tx = nil
	}
}

// save notes where the transaction stands. A newer savepoint hides an older one
// of the same name on PostgreSQL, and replaces it on InnoDB.
func (tx *transaction) save(name string) {
	if i := tx.savepoint(name); i >= 0 && tx.session.db.innodb() {
		tx.saved = slices.Delete(tx.saved, i, i+1)
	}
	tx.saved = append(tx.saved, savepoint{name, len(tx.undo), len(tx.locks)})
}

// savepoint is the place of the newest savepoint with that name, or -1.
func (tx *transaction) savepoint(name string) int {
	for i, s := range slices.Backward(tx.saved) {
		if s.name == name {
			return i
		}
	}
	return -1
}

// backTo takes back what came after a savepoint, which stays. PostgreSQL frees
// the rows that were locked since, InnoDB keeps them.
func (tx *transaction) backTo(i int) {
	s := tx.saved[i]
	tx.back(s.undo)
	if !tx.session.db.innodb() {
		tx.unlock(s.locks)
	}
	tx.saved = tx.saved[:i+1]
	tx.broken = false
}
