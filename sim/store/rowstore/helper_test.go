package rowstore_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/sim/store/rowstore"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// TestMain draws the same scripts in every run, unless a seed is given: a model
// has limits, which the package comment names, and a check that finds another one
// now and then says nothing about a change. -rapid.seed looks further.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "60"} {
		if !given[name] {
			_ = flag.Set(name, value) // the flags are those of package rapid
		}
	}
	goleak.VerifyTestMain(m)
}

// model is a database with sessions by name and a clock that the test moves.
type model struct {
	kind     dialect.Kind
	db       *rowstore.DB
	now      time.Duration
	timers   []*timer
	sessions map[string]sqlstore.Session
	waiting  []string // sessions whose statement has no answer yet
	answers  []string // NAME: ANSWER, since they were read last
}

type timer struct {
	at   time.Duration
	do   func()
	done bool
}

const (
	schema = "CREATE TABLE numbers (id INTEGER NOT NULL PRIMARY KEY, value INTEGER NOT NULL)"
	rows   = "INSERT INTO numbers (id, value) VALUES (1, 10), (3, 30), (5, 50)"
)

// tables are the statements that make the tables with their rows. Only MySQL's
// way of declaring an index is one that the model reads.
func tables(kind dialect.Kind) []string {
	out := []string{schema, rows}
	if kind == innodb {
		out = append(out,
			"CREATE TABLE goods (id INTEGER NOT NULL PRIMARY KEY, item INTEGER NOT NULL, quantity INTEGER NOT NULL, KEY by_item (item))",
			"INSERT INTO goods (id, item, quantity) VALUES (1, 10, 100), (3, 20, 300), (5, 20, 500), (8, 30, 800)")
	}
	return out
}

func newModel(t testing.TB, kind dialect.Kind, change ...func(*rowstore.Config)) *model {
	t.Helper()
	m := &model{kind: kind, sessions: map[string]sqlstore.Session{}}
	cfg := rowstore.Config{Kind: kind, After: m.after}
	for _, f := range change {
		f(&cfg)
	}
	m.db = rowstore.New(cfg)
	if err := m.db.Run(tables(kind)...); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *model) after(d time.Duration, do func()) func() {
	e := &timer{at: m.now + d, do: do}
	m.timers = append(m.timers, e)
	return func() { e.done = true }
}

// advance lets time pass, in which timers go off in their order.
func (m *model) advance(d time.Duration) {
	end := m.now + d
	for {
		slices.SortStableFunc(m.timers, func(a, b *timer) int { return int(a.at - b.at) })
		m.timers = slices.DeleteFunc(m.timers, func(e *timer) bool { return e.done })
		if len(m.timers) == 0 || m.timers[0].at > end {
			break
		}
		e := m.timers[0]
		e.done, m.now = true, e.at
		e.do()
	}
	m.now = end
}

func (m *model) session(name string) sqlstore.Session {
	if m.sessions[name] == nil {
		s, err := m.db.Open()
		if err != nil {
			panic(err)
		}
		m.sessions[name] = s
	}
	return m.sessions[name]
}

// send lets a session execute a statement.
func (m *model) send(name, statement string) {
	m.waiting = append(m.waiting, name)
	s := sqlstore.Statement{Text: statement, Query: strings.HasPrefix(statement, "SELECT")}
	m.session(name).Do(s, func(a sqlstore.Answer) {
		m.waiting = slices.DeleteFunc(m.waiting, func(n string) bool { return n == name })
		m.answers = append(m.answers, name+": "+shown(m.kind, a))
	})
}

// shown is an answer as both the model and a real database can give it.
func shown(kind dialect.Kind, a sqlstore.Answer) string {
	d := dialect.Postgres()
	if kind == dialect.KindMySQL {
		d = dialect.MySQL()
	}
	switch {
	case a.Err != nil:
		return "error " + d.Class(a.Err).String()
	case a.Query:
		return fmt.Sprint(a.Rows)
	case a.Affected < 0:
		return "0 rows"
	}
	return fmt.Sprintf("%d rows", a.Affected)
}

// state is who waits and what was answered, since it was asked last.
func (m *model) state() string {
	slices.Sort(m.waiting)
	slices.Sort(m.answers)
	out := strings.Join(m.answers, ", ")
	m.answers = nil
	if len(m.waiting) > 0 {
		out += " | waits: " + strings.Join(m.waiting, ", ")
	}
	return out
}
