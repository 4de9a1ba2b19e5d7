package rowstore

import (
	"slices"
	"strings"
)

// column is one column of a table.
type column struct {
	name    string
	notNull bool
	auto    bool // numbered by the database
	initial any  // the default
}

// createTable reads the definition of a table.
func (p *parser) createTable(st *statement) {
	st.verb, st.def = "CREATE", &table{}
	p.take("IF", "NOT", "EXISTS")
	st.table = p.word()
	st.def.name = st.table
	p.need("(")
	p.each(func() { p.definition(st.def) })
	p.need(")")
	if p.take("ENGINE", "=") {
		p.word()
	}
	t := st.def
	if len(t.indexes) == 0 || !t.indexes[0].primary {
		t.indexes = slices.Insert(t.indexes, 0, index{name: "rowid", primary: true, unique: true})
	}
}

// definition reads a column, or an index of the table.
func (p *parser) definition(t *table) {
	switch {
	case p.take("PRIMARY", "KEY"):
		t.addIndex(p, "primary", p.names())
		return
	case p.take("UNIQUE"):
		p.take("KEY")
		t.addIndex(p, "unique", p.names())
		return
	case p.take("KEY"):
		name := p.word()
		t.addIndex(p, name, p.names())
		return
	}
	c := column{name: p.word()}
	p.word() // the type: values have their own
	if p.peek() == "(" {
		p.names()
	}
	t.columns = append(t.columns, c)
	for p.option(t, &t.columns[len(t.columns)-1]) {
	}
}

// option reads one of the words behind a column.
func (p *parser) option(t *table, c *column) bool {
	switch {
	case p.take("NOT", "NULL"):
		c.notNull = true
	case p.take("PRIMARY", "KEY"):
		t.addIndex(p, "primary", []string{c.name})
	case p.take("UNIQUE"):
		t.addIndex(p, "unique", []string{c.name})
	case p.take("DEFAULT"):
		c.initial = p.operand().literal
	case p.take("AUTO_INCREMENT"), p.take("GENERATED", "ALWAYS", "AS", "IDENTITY"):
		c.auto = true
	case p.take("CHECK"): // the statements never break it
		for p.need("("); !p.take(")"); {
			p.word()
		}
	default:
		return false
	}
	return true
}

// addIndex adds the index of the given columns. The primary one comes first.
func (t *table) addIndex(p *parser, name string, names []string) {
	ix := index{name: name, primary: name == "primary", unique: name == "primary" || name == "unique"}
	for _, n := range names {
		i := t.column(n)
		if i < 0 {
			p.errorf("there is no column %q", n)
		}
		ix.columns = append(ix.columns, i)
	}
	if ix.primary {
		t.indexes = slices.Insert(t.indexes, 0, ix)
	} else {
		t.indexes = append(t.indexes, ix)
	}
}

// column is the place of a column, or -1.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}
