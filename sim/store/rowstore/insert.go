package rowstore

import (
	"database/sql/driver"

	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// insert adds rows, one after the other.
func (db *DB) insert(r *running, t *table) (sqlstore.Answer, *wait) {
	affected := int64(0)
	for _, exprs := range r.st.rows {
		values, err := t.fill(db, r.st.columns, exprs)
		if err != nil {
			return failed(err), nil
		}
		n, w, err := db.insertRow(r, t, values)
		if err != nil || w != nil {
			return failed(err), w
		}
		affected += n
	}
	return sqlstore.Answer{Affected: affected}, nil
}

// fill makes a row of what is given, the defaults and the next number.
func (t *table) fill(db *DB, columns []string, exprs []expr) ([]driver.Value, error) {
	values := make([]driver.Value, len(t.columns))
	for i, c := range t.columns {
		values[i] = c.initial
		if c.auto {
			t.last++
			values[i] = t.last
		}
	}
	for i, e := range exprs {
		at := i
		if columns != nil {
			at = t.column(columns[i])
		}
		if at < 0 || at >= len(values) {
			return nil, db.explain(syntax, "no such column in "+t.name)
		}
		v, err := t.value(e, values)
		if err != nil {
			return nil, err
		}
		values[at] = v
	}
	for i, c := range t.columns {
		if c.notNull && values[i] == nil {
			return nil, db.explain(notNull, c.name)
		}
	}
	return values, nil
}

// insertRow adds one row, once nobody is in its way.
func (db *DB) insertRow(r *running, t *table, values []driver.Value) (int64, *wait, error) {
	same, w := db.sameRow(r, t, values)
	switch {
	case w != nil:
		return 0, w, nil
	case same != nil && r.st.onDup == dupFails:
		if db.innodb() {
			r.tx.share(same)
		}
		return 0, nil, db.explain(duplicate, same.name())
	case same != nil:
		return db.onDuplicate(r, t, same)
	}
	n := &row{key: t.key(values)}
	i, found := t.find(n.key)
	if found { // deleted, but perhaps still to be seen in a snapshot
		n = t.rows[i]
	}
	w = &wait{running: r, table: t}
	for _, ix := range t.indexes {
		w.entries = append(w.entries, ix.entry(n, values))
	}
	if db.innodb() && len(db.blockers(w)) > 0 {
		return 0, w, nil
	}
	if !found {
		t.rows = append(t.rows[:i], append([]*row{n}, t.rows[i:]...)...)
	}
	r.tx.lock(n)
	r.tx.change(t, n, values)
	return 1, nil, nil
}

// sameRow is a row that a unique index does not let the new one stand beside, or
// the wait for a transaction that decides whether there is one.
func (db *DB) sameRow(r *running, t *table, values []driver.Value) (*row, *wait) {
	for _, other := range t.rows {
		if !t.collides(other.newest(r.tx), values) && (other.pending == nil || !t.collides(other.pending.values, values)) {
			continue
		}
		undecided := other.pending != nil || db.innodb()
		if other.locker != nil && other.locker != r.tx && undecided {
			return nil, &wait{running: r, row: other, inserts: true}
		}
		if t.collides(other.newest(r.tx), values) {
			return other, nil
		}
	}
	return nil, nil
}

// collides reports whether two rows are equal by a unique index.
func (t *table) collides(a, b []driver.Value) bool {
	if a == nil {
		return false
	}
	for _, ix := range t.indexes {
		if ix.unique && len(ix.columns) > 0 && compareAll(ix.of(a), ix.of(b)) == 0 {
			return true
		}
	}
	return false
}

// onDuplicate does what the INSERT says for a row that exists.
func (db *DB) onDuplicate(r *running, t *table, same *row) (int64, *wait, error) {
	if r.st.onDup == dupIgnored {
		return 0, nil, nil
	}
	if !db.free(same, r.tx) {
		return 0, &wait{running: r, row: same}, nil
	}
	r.tx.lock(same)
	old := same.newest(r.tx)
	values, err := t.assign(r.st.set, old)
	if err != nil || db.innodb() && compareAll(values, old) == 0 {
		return 0, nil, err
	}
	r.tx.change(t, same, values)
	return 1, nil, nil
}
