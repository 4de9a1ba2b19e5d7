package rowstore

import (
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/go-sql-driver/mysql"
)

// isDeadlock recognizes the error that undoes a whole transaction on InnoDB.
func isDeadlock(err error) bool {
	var e *mysql.MySQLError
	return errors.As(err, &e) && e.Number == mysqlFaults[deadlock].Number
}

// lockRows finds the rows of a statement and locks them. It ends early with a
// wait for the first one that it has to wait for.
func (db *DB) lockRows(r *running, t *table) ([]hit, *wait, error) {
	if db.innodb() {
		return db.scan(r, t)
	}
	return db.lockMatching(r, t)
}

// lockMatching is PostgreSQL's way: the rows that match in the statement's
// snapshot, looked at again once they are locked.
func (db *DB) lockMatching(r *running, t *table) (found []hit, w *wait, err error) {
	var candidates []hit
	for _, row := range t.rows {
		values := row.at(r.tx, r.snapshot)
		if values == nil {
			continue
		}
		ok, err := t.matches(r.st.where, values)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			candidates = append(candidates, hit{row, values})
		}
	}
	t.sort(candidates, r.st.order)
	for _, c := range candidates {
		if r.st.full(found) {
			break
		}
		skip, w, err := db.lockRow(r, c.row)
		if w != nil || err != nil {
			return nil, w, err
		}
		if found, err = t.keep(r, c.row, found, skip); err != nil {
			return nil, nil, err
		}
	}
	return found, nil, nil
}

// full reports whether LIMIT is reached.
func (st *statement) full(found []hit) bool { return st.limit >= 0 && int64(len(found)) >= st.limit }

// keep adds a row that is locked if its newest version matches.
func (t *table) keep(r *running, row *row, found []hit, skip bool) ([]hit, error) {
	values := row.newest(r.tx)
	if skip || values == nil {
		return found, nil
	}
	ok, err := t.matches(r.st.where, values)
	if ok {
		found = append(found, hit{row, values})
	}
	return found, err
}

// lockRow locks a row, or says that it is to be skipped or waited for.
func (db *DB) lockRow(r *running, row *row) (skip bool, w *wait, err error) {
	switch {
	case db.free(row, r.tx):
		r.tx.lock(row)
		return false, nil, nil
	case r.st.lock == lockSkips:
		return true, nil, nil
	case r.st.lock == lockNoWait:
		return false, nil, db.fail(lockedNow)
	}
	return false, &wait{running: r, row: row}, nil
}

// scan is InnoDB's way: it walks along an index and locks every row that it
// looks at, and the gaps that it passes.
func (db *DB) scan(r *running, t *table) (found []hit, w *wait, err error) {
	path := t.path(r.st.where)
	entries := t.entries(path.index)
	if path.points != nil {
		return db.lookUp(r, t, path, entries)
	}
	i := 0
	for i < len(entries) && compareAll(entries[i].key, path.prefix) < 0 {
		i++
	}
	g := gap{table: t, index: path.index}
	if i > 0 {
		g.lo = entries[i-1].key
	}
	for ; i < len(entries) && path.within(entries[i].key) && !r.st.full(found); i++ {
		skip, w, err := db.lockRow(r, entries[i].row)
		if w != nil || err != nil {
			return nil, g.upTo(w, r.tx, entries, i), err
		}
		if found, err = t.keep(r, entries[i].row, found, skip); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case i > 0 && r.st.full(found): // LIMIT ends the walk at the last row
		g.hi = entries[i-1].key
	case i < len(entries):
		g.hi = entries[i].key
	}
	r.tx.addGap(g)
	if path.index != 0 {
		t.sort(found, r.st.order)
	}
	return found, nil, nil
}

// upTo ends a scan early, at entry i: the gap before the entries that are locked
// stays closed, and the one before the entry that w waits for is closed while it
// waits.
func (g gap) upTo(w *wait, tx *transaction, entries []entry, i int) *wait {
	if w != nil {
		next := g
		if i > 0 {
			next.lo = entries[i-1].key
		}
		next.hi = entries[i].key
		w.gap = &next
	}
	if i > 0 && compareAll(g.lo, entries[i-1].key) < 0 {
		g.hi = entries[i-1].key
		tx.addGap(g)
	}
	return w
}

// lookUp locks the rows with given values of a unique index, and the gap where
// there is none.
func (db *DB) lookUp(r *running, t *table, path path, entries []entry) (found []hit, w *wait, err error) {
	for _, point := range path.points {
		i := 0
		for i < len(entries) && compareAll(entries[i].key, point) < 0 {
			i++
		}
		if i < len(entries) && (path.index == 0 && compareAll(entries[i].key, point) == 0 || begins(entries[i].key, point)) {
			skip, w, err := db.lockRow(r, entries[i].row)
			if w != nil || err != nil {
				return nil, w, err
			}
			if found, err = t.keep(r, entries[i].row, found, skip); err != nil {
				return nil, nil, err
			}
			continue
		}
		g := gap{table: t, index: path.index}
		if i > 0 {
			g.lo = entries[i-1].key
		}
		if i < len(entries) {
			g.hi = entries[i].key
		}
		r.tx.addGap(g)
	}
	return found, nil, nil
}

func (tx *transaction) addGap(g gap) {
	same := func(o gap) bool {
		return o.table == g.table && o.index == g.index && compareAll(o.lo, g.lo) == 0 && compareAll(o.hi, g.hi) == 0
	}
	if !slices.ContainsFunc(tx.gaps, same) {
		tx.gaps = append(tx.gaps, g)
	}
}

// path is the way along an index.
type path struct {
	index  int
	points [][]driver.Value // look-ups by a unique key
	prefix []driver.Value   // or a range: what entries begin with; none for all
}

func (p path) within(key []driver.Value) bool { return begins(key, p.prefix) }

func begins(key, prefix []driver.Value) bool {
	return len(key) >= len(prefix) && compareAll(key[:len(prefix)], prefix) == 0
}

// path chooses how the rows are found: by a unique key, by the first column of
// another index, or by looking at all of them.
func (t *table) path(where []condition) path {
	for i, ix := range t.indexes {
		if !ix.unique || len(ix.columns) != 1 {
			continue
		}
		if c := t.equality(where, ix.columns[0]); c != nil {
			p := path{index: i}
			for _, e := range c.values {
				p.points = append(p.points, []driver.Value{e.literal})
			}
			return p
		}
	}
	for i, ix := range t.indexes {
		if len(ix.columns) == 0 {
			continue
		}
		if c := t.equality(where, ix.columns[0]); c != nil && c.op == "=" {
			return path{index: i, prefix: []driver.Value{c.values[0].literal}}
		}
	}
	return path{}
}

// equality is the condition that gives a column values that do not depend on the
// row.
func (t *table) equality(where []condition, column int) *condition {
	for i, c := range where {
		constant := !slices.ContainsFunc(c.values, func(e expr) bool { return e.column != "" || e.op != "" })
		if constant && (c.op == "=" || c.op == "IN") && t.column(c.column) == column {
			return &where[i]
		}
	}
	return nil
}

// entry is one row in an index.
type entry struct {
	key []driver.Value
	row *row
}

// entries are the rows that exist or may come to exist, in the order of an
// index.
func (t *table) entries(i int) []entry {
	var out []entry
	for _, r := range t.rows {
		values := r.newest(r.locker)
		if values == nil && r.pending != nil { // deleted, not yet for everybody
			values = r.newest(nil)
		}
		if values != nil {
			out = append(out, entry{t.indexes[i].entry(r, values), r})
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return compareAll(a.key, b.key) })
	return out
}
