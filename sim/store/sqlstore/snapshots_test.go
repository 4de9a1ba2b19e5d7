package sqlstore_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver called pgx
	"pgregory.net/rapid"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

const (
	insertText = "INSERT INTO texts (text) VALUES ($1)"
	selectText = "SELECT text FROM texts WHERE text <> $1 ORDER BY text"
	wrong      = "SELECT nothing FROM nowhere"
)

// tb is a test, or one case of a property.
type tb interface {
	rapid.TB
	Cleanup(func())
}

func newSnapshots(t tb, level sqlstore.Isolation) *sqlstore.Snapshots {
	t.Helper()
	db, err := sqlstore.NewSnapshots(clock.Real(), level)
	if err == nil {
		err = db.Run("CREATE TABLE texts (text TEXT)")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func open(t tb, db *sqlstore.Snapshots) sqlstore.Session {
	t.Helper()
	s, err := db.Open()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask carries out a statement and returns what can be compared: the texts of the
// rows, the number of changed rows, or that there was an error.
func ask(s sqlstore.Session, statement string, args ...driver.Value) (answer string) {
	query := statement == selectText
	s.Do(sqlstore.Statement{Text: statement, Args: args, Query: query}, func(a sqlstore.Answer) {
		switch {
		case a.Err != nil:
			answer = "error"
		case query:
			answer = fmt.Sprint(a.Rows)
		case statement == insertText:
			answer = fmt.Sprint(a.Affected)
		}
	})
	return answer
}

func TestWhatATransactionSees(t *testing.T) {
	for level, want := range map[sqlstore.Isolation]string{
		sqlstore.ReadCommitted:  "[[a] [b]]",
		sqlstore.RepeatableRead: "[[b]]",
	} {
		t.Run(string(level), func(t *testing.T) {
			db := newSnapshots(t, level)
			a, b := open(t, db), open(t, db)
			ask(a, "BEGIN")
			ask(a, insertText, "a")
			if got := ask(b, selectText, ""); got != "[]" {
				t.Errorf("others see %s before the commit", got)
			}
			ask(b, "BEGIN")
			ask(b, selectText, "") // takes the snapshot
			ask(b, insertText, "b")
			ask(a, "COMMIT")
			if got := ask(b, selectText, ""); got != want {
				t.Errorf("after a's commit b sees %s, want %s", got, want)
			}
		})
	}
}

func TestASessionThatClosesRollsBack(t *testing.T) {
	db := newSnapshots(t, sqlstore.ReadCommitted)
	a, b := open(t, db), open(t, db)
	ask(a, "BEGIN")
	ask(a, insertText, "a")
	a.Close()
	if got := ask(b, selectText, ""); got != "[]" {
		t.Errorf("b sees %s of a transaction that never ended", got)
	}
}

// TestTheModelAnswersAsPostgreSQLDoes runs random statements of three sessions on
// both.
func TestTheModelAnswersAsPostgreSQLDoes(t *testing.T) {
	server := realserver.Postgres(t)
	pg, err := sql.Open("pgx", server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Close() })
	for level, begin := range map[sqlstore.Isolation]string{
		sqlstore.ReadCommitted:  "BEGIN ISOLATION LEVEL READ COMMITTED",
		sqlstore.RepeatableRead: "BEGIN ISOLATION LEVEL REPEATABLE READ",
	} {
		t.Run(string(level), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { compare(t, pg, level, begin) })
		})
	}
}

func compare(t *rapid.T, pg *sql.DB, level sqlstore.Isolation, begin string) {
	for _, s := range []string{"DROP TABLE IF EXISTS texts", "CREATE TABLE texts (text TEXT)"} {
		if _, err := pg.ExecContext(bg, s); err != nil {
			t.Fatal(err)
		}
	}
	model := newSnapshots(t, level)
	var sessions []sqlstore.Session
	var conns []*sql.Conn
	open3 := make([]bool, 3) // whether a transaction is under way
	for range open3 {
		sessions = append(sessions, open(t, model))
		c, err := pg.Conn(bg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // a test's connection
		defer func() { _, _ = c.ExecContext(bg, "ROLLBACK") }()
		conns = append(conns, c)
	}
	var log []string
	for i := range rapid.IntRange(1, 25).Draw(t, "statements") {
		who := rapid.IntRange(0, 2).Draw(t, "session")
		what := rapid.SampledFrom([]string{"BEGIN", "COMMIT", "ROLLBACK", insertText, insertText, selectText, selectText, wrong}).Draw(t, "statement")
		if (what == "BEGIN") == open3[who] && slices.Contains([]string{"BEGIN", "COMMIT", "ROLLBACK"}, what) {
			continue // a warning of PostgreSQL, and no more
		}
		text := fmt.Sprint(i)
		log = append(log, fmt.Sprintf("%d: %s %s", who, what, text))
		got := ask(sessions[who], what, arguments(what, text)...)
		if want := askPostgres(t, conns[who], what, begin, text); got != want {
			t.Fatalf("the model answers %q, PostgreSQL %q, after\n%q", got, want, log)
		}
		if what == "BEGIN" || what == "COMMIT" || what == "ROLLBACK" {
			open3[who] = what == "BEGIN"
		}
	}
}

func arguments(statement, text string) []driver.Value {
	if statement == insertText || statement == selectText {
		return []driver.Value{text}
	}
	return nil
}

func askPostgres(t *rapid.T, c *sql.Conn, statement, begin, text string) string {
	switch statement {
	case selectText:
		return rowsOf(c, text)
	case insertText:
		r, err := c.ExecContext(bg, statement, text)
		if err != nil {
			return "error"
		}
		n, err := r.RowsAffected()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(n)
	case "BEGIN":
		statement = begin
	}
	if _, err := c.ExecContext(bg, statement); err != nil && statement == wrong {
		return "error"
	}
	return ""
}

func rowsOf(c *sql.Conn, text string) string {
	rows, err := c.QueryContext(bg, selectText, text)
	if err != nil {
		return "error"
	}
	defer rows.Close() //nolint:errcheck // read to the end below
	all := [][]driver.Value{}
	for rows.Next() {
		var s string
		if rows.Scan(&s) != nil {
			return "error"
		}
		all = append(all, []driver.Value{s})
	}
	if rows.Err() != nil {
		return "error"
	}
	return fmt.Sprint(all)
}
