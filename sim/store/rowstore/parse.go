package rowstore

import (
	"fmt"
	"strings"
)

// statement is one that has been parsed, its arguments filled in.
type statement struct {
	verb  string // CREATE, SELECT, INSERT, UPDATE, DELETE or one of control
	table string

	def *table // CREATE

	columns []string // SELECT: the names of what is selected; INSERT: of what is given
	exprs   []expr   // SELECT
	rows    [][]expr // INSERT
	onDup   onDup    // INSERT
	set     []assignment

	where []condition
	order string
	limit int64 // -1: none
	lock  locking

	name     string // of a savepoint
	settings []setting
}

// onDup is what an INSERT does where the row exists.
type onDup int

const (
	dupFails onDup = iota
	dupIgnored
	dupUpdates
)

// locking is what a SELECT does about rows that others have locked.
type locking int

const (
	noLock locking = iota
	lockWaits
	lockNoWait
	lockSkips
)

type assignment struct {
	column string
	value  expr
}

type condition struct {
	column string
	op     string // = <> < <= > >= IN
	values []expr
}

// setting is one assignment of SET.
type setting struct{ name, value string }

// parse reads a statement.
func parse(text string, args []any) (st *statement, err error) {
	p := &parser{list: tokens.FindAllString(text, -1), args: args}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case syntaxError:
			st, err = nil, fmt.Errorf("%s in %q", string(r), text)
		default:
			panic(r)
		}
	}()
	st = p.statement()
	p.take(";")
	if p.peek() != "" {
		p.errorf("unexpected %q", p.peek())
	}
	return st, nil
}

func (p *parser) statement() *statement {
	st := &statement{limit: -1}
	switch {
	case p.take("SELECT"):
		p.selectFrom(st)
	case p.take("INSERT"):
		p.insert(st)
	case p.take("UPDATE"):
		st.verb, st.table = "UPDATE", p.word()
		p.need("SET")
		p.assignments(st)
		p.wherePart(st)
	case p.take("DELETE", "FROM"):
		st.verb, st.table = "DELETE", p.word()
		p.wherePart(st)
	case p.take("CREATE", "TABLE"):
		p.createTable(st)
	default:
		p.control(st)
	}
	return st
}

// control reads the statements about transactions and settings.
func (p *parser) control(st *statement) {
	switch {
	case p.take("BEGIN"), p.take("START", "TRANSACTION"):
		st.verb = "BEGIN"
	case p.take("COMMIT"):
		st.verb = "COMMIT"
	case p.take("ROLLBACK", "TO", "SAVEPOINT"):
		st.verb, st.name = "ROLLBACK TO", p.word()
	case p.take("ROLLBACK"):
		st.verb = "ROLLBACK"
	case p.take("SAVEPOINT"):
		st.verb, st.name = "SAVEPOINT", p.word()
	case p.take("RELEASE", "SAVEPOINT"):
		st.verb, st.name = "RELEASE", p.word()
	case p.take("SET"):
		st.verb = "SET"
		p.each(func() { st.settings = append(st.settings, p.setting()) })
	default:
		p.errorf("%q is not understood", p.peek())
	}
}

func (p *parser) setting() setting {
	name := p.word()
	for strings.EqualFold(name, "SESSION") || strings.EqualFold(name, "LOCAL") {
		name = p.word()
	}
	p.need("=")
	return setting{strings.ToLower(name), strings.ToLower(p.word())}
}

func (p *parser) selectFrom(st *statement) {
	st.verb = "SELECT"
	p.each(func() {
		st.columns = append(st.columns, p.label())
		st.exprs = append(st.exprs, p.expr())
	})
	if !p.take("FROM") {
		return
	}
	st.table = p.word()
	p.wherePart(st)
	if p.take("ORDER", "BY") {
		st.order = p.word()
	}
	if p.take("LIMIT") {
		st.limit = p.number()
	}
	if p.take("FOR", "UPDATE") {
		st.lock = lockWaits
		if p.take("NOWAIT") {
			st.lock = lockNoWait
		} else if p.take("SKIP", "LOCKED") {
			st.lock = lockSkips
		}
	}
}

// label is the name of the result that comes next.
func (p *parser) label() string {
	if p.next == len(p.list) {
		return ""
	}
	return p.list[p.next]
}

func (p *parser) insert(st *statement) {
	st.verb = "INSERT"
	p.need("INTO")
	st.table = p.word()
	if p.peek() == "(" {
		st.columns = p.names()
	}
	p.need("VALUES")
	p.each(func() {
		var row []expr
		p.need("(")
		p.each(func() { row = append(row, p.expr()) })
		p.need(")")
		st.rows = append(st.rows, row)
	})
	switch {
	case p.take("ON", "CONFLICT"):
		p.names()
		p.need("DO")
		if st.onDup = dupIgnored; !p.take("NOTHING") {
			p.need("UPDATE", "SET")
			st.onDup = dupUpdates
			p.assignments(st)
		}
	case p.take("ON", "DUPLICATE", "KEY", "UPDATE"):
		st.onDup = dupUpdates
		p.assignments(st)
	}
}

func (p *parser) assignments(st *statement) {
	p.each(func() {
		column := p.word()
		p.need("=")
		st.set = append(st.set, assignment{column, p.expr()})
	})
}

func (p *parser) wherePart(st *statement) {
	if !p.take("WHERE") {
		return
	}
	for {
		st.where = append(st.where, p.condition())
		if !p.take("AND") {
			return
		}
	}
}

func (p *parser) condition() condition {
	c := condition{column: p.word(), op: strings.ToUpper(p.word())}
	switch c.op {
	case "IN":
		p.need("(")
		p.each(func() { c.values = append(c.values, p.expr()) })
		p.need(")")
	case "=", "<>", "!=", "<", "<=", ">", ">=":
		c.values = []expr{p.expr()}
	default:
		p.errorf("%q is no comparison", c.op)
	}
	return c
}
