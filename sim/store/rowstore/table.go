package rowstore

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// table is a table with its rows in the order of their primary key. One without
// a primary key has a hidden number for it.
type table struct {
	name    string
	columns []column
	indexes []index // the first one is primary
	rows    []*row
	last    int64 // the last number that was given out
}

// index is the primary key or another index.
type index struct {
	name            string
	columns         []int
	primary, unique bool
}

// row is one row with its history.
type row struct {
	key       []driver.Value // primary
	committed []version      // oldest first
	pending   *version       // what the locker has made of it and not committed
	locker    *transaction
	sharers   []*transaction // InnoDB: who has found it in the way of an INSERT
}

// version is the content of a row from a commit on; nil values mean that it does
// not exist.
type version struct {
	commit int64
	values []driver.Value
}

func (db *DB) table(name string) (*table, error) {
	t, ok := db.tables[name]
	if !ok {
		return nil, db.explain(noTable, name)
	}
	return t, nil
}

// at is the row as tx sees it with a snapshot; nil if it does not exist.
func (r *row) at(tx *transaction, snapshot int64) []driver.Value {
	if r.pending != nil && tx != nil && r.locker == tx {
		return r.pending.values
	}
	for _, v := range slices.Backward(r.committed) {
		if v.commit <= snapshot {
			return v.values
		}
	}
	return nil
}

// newest is the row as it was committed last or as tx itself has made it.
func (r *row) newest(tx *transaction) []driver.Value { return r.at(tx, 1<<62) }

// find is where the row with a primary key is, or belongs.
func (t *table) find(key []driver.Value) (int, bool) {
	return slices.BinarySearchFunc(t.rows, key, func(r *row, key []driver.Value) int { return compareAll(r.key, key) })
}

// key is the primary key of values, a new number if the table has none.
func (t *table) key(values []driver.Value) []driver.Value {
	if len(t.indexes[0].columns) == 0 {
		t.last++
		return []driver.Value{t.last}
	}
	return t.indexes[0].of(values)
}

// of are the values of the columns of the index.
func (ix index) of(values []driver.Value) []driver.Value {
	out := make([]driver.Value, len(ix.columns))
	for i, c := range ix.columns {
		out[i] = values[c]
	}
	return out
}

// entry is where a row stands in an index: its columns, then the primary key.
func (ix index) entry(r *row, values []driver.Value) []driver.Value {
	if ix.primary {
		return r.key
	}
	return append(ix.of(values), r.key...)
}

// compare orders values: NULL, numbers, texts.
func compare(a, b driver.Value) int {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(rank(a), rank(b))
}

func rank(v driver.Value) int {
	switch v.(type) {
	case nil:
		return 0
	case int64:
		return 1
	}
	return 2
}

// compareAll orders tuples; a tuple comes before one that it is the beginning
// of.
func compareAll(a, b []driver.Value) int { return slices.CompareFunc(a, b, compare) }

// expr is a value in a statement: a literal, a column, or a sum.
type expr struct {
	literal     driver.Value
	column      string
	op          string
	left, right *expr
}

// value evaluates e for a row.
func (t *table) value(e expr, values []driver.Value) (driver.Value, error) {
	switch {
	case e.op != "":
		left, err := t.value(*e.left, values)
		if err != nil {
			return nil, err
		}
		right, err := t.value(*e.right, values)
		a, isNumber := left.(int64)
		b, areNumbers := right.(int64)
		switch {
		case err != nil:
			return nil, err
		case !isNumber || !areNumbers:
			return nil, fmt.Errorf("%v %s %v is no sum of numbers", left, e.op, right)
		case e.op == "-":
			return a - b, nil
		}
		return a + b, nil
	case e.column != "":
		i := t.column(e.column)
		if i < 0 {
			return nil, fmt.Errorf("there is no column %q in %s", e.column, t.name)
		}
		return values[i], nil
	}
	return e.literal, nil
}

// matches reports whether a row fulfils all conditions. A comparison with NULL
// does not.
func (t *table) matches(where []condition, values []driver.Value) (bool, error) {
	for _, c := range where {
		left, err := t.value(expr{column: c.column}, values)
		if err != nil {
			return false, err
		}
		fits := false
		for _, e := range c.values {
			right, err := t.value(e, values)
			if err != nil {
				return false, err
			}
			fits = fits || left != nil && right != nil && holds(compare(left, right), c.op)
		}
		if !fits {
			return false, nil
		}
	}
	return true, nil
}

func holds(order int, op string) bool {
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<>", "!=":
		return order != 0
	}
	return order == 0
}

// read carries out a SELECT that locks nothing.
func (t *table) read(st *statement, tx *transaction, snapshot int64) sqlstore.Answer {
	var found []hit
	for _, r := range t.rows {
		values := r.at(tx, snapshot)
		if values == nil {
			continue
		}
		ok, err := t.matches(st.where, values)
		if err != nil {
			return sqlstore.Answer{Err: err}
		}
		if ok {
			found = append(found, hit{r, values})
		}
	}
	t.sort(found, st.order)
	if st.limit >= 0 && int64(len(found)) > st.limit {
		found = found[:st.limit]
	}
	return t.project(st, found)
}

// hit is a row that a statement has found, with the values that it saw.
type hit struct {
	row    *row
	values []driver.Value
}

// sort puts rows into the order of a column; without one they keep that of the
// primary key.
func (t *table) sort(found []hit, order string) {
	if i := t.column(order); order != "" && i >= 0 {
		slices.SortStableFunc(found, func(a, b hit) int { return compare(a.values[i], b.values[i]) })
	}
}

// project is what the SELECT wants of the rows.
func (t *table) project(st *statement, found []hit) sqlstore.Answer {
	a := sqlstore.Answer{Columns: st.columns, Query: true}
	for _, h := range found {
		out := make([]driver.Value, len(st.exprs))
		for i, e := range st.exprs {
			v, err := t.value(e, h.values)
			if err != nil {
				return sqlstore.Answer{Err: err}
			}
			out[i] = v
		}
		a.Rows = append(a.Rows, out)
	}
	return a
}
