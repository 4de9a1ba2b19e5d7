package rowstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"pgregory.net/rapid"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/internal/realserver"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// real is a database server with the sessions of one script.
type real struct {
	kind     dialect.Kind
	db       *sql.DB
	sessions map[string]*realSession
	answers  chan string // NAME: ANSWER
	waiting  []string
	strict   bool // its statements go on in one order only, even if several are freed at once
}

type realSession struct {
	conn *sql.Conn
	id   int64
}

func TestTheModelIsLikePostgreSQL(t *testing.T) {
	db := open(t, "pgx", realserver.Postgres(t).DSN())
	compare(t, &real{kind: pg, db: db, strict: true}, statements(pg))
}

func TestTheModelIsLikeInnoDB(t *testing.T) {
	db := open(t, "mysql", realserver.MariaDB(t).DSN())
	compare(t, &real{kind: innodb, db: db, strict: true}, statements(innodb))
}

func TestTheModelIsLikeInnoDBWithASecondIndex(t *testing.T) {
	db := open(t, "mysql", realserver.MariaDB(t).DSN())
	compare(t, &real{kind: innodb, db: db}, indexed)
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// compare runs random scripts on both and compares who waits and what is
// answered after every statement.
func compare(t *testing.T, r *real, statements []string) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(t, r.kind)
		r.begin(t)
		defer r.end()
		sent := map[string]string{}
		for range rapid.IntRange(4, 12).Draw(rt, "length") {
			free := slices.DeleteFunc([]string{"A", "B", "C"}, func(n string) bool { return slices.Contains(m.waiting, n) })
			if len(free) == 0 {
				return
			}
			name := rapid.SampledFrom(free).Draw(rt, "session")
			statement := rapid.SampledFrom(statements).Draw(rt, "statement")
			if slices.ContainsFunc(m.waiting, func(n string) bool { return sent[n] == statement && strings.HasPrefix(statement, "INSERT INTO goods") }) {
				continue // the row of the first has not been made in the model, see the package comment
			}
			sent[name] = statement
			crowd := len(m.waiting) > 1
			m.send(name, statement)
			m.advance(2 * time.Second)
			got, want := m.state(), r.send(t, name, statement)
			if strings.Contains(got, "error retry") && strings.Contains(want, "error retry") {
				return // the victim is for the database to choose
			}
			if got != want && crowd && !r.strict {
				return // two go on at the same time along one index: which of them comes first is for the database to choose
			}
			if got != want {
				rt.Fatalf("%s %s: the model says %q, the database %q", name, statement, got, want)
			}
		}
	})
}

func statements(kind dialect.Kind) []string {
	out := []string{
		"BEGIN", "BEGIN", "COMMIT", "ROLLBACK", read1, set1, lock1, lock3, add2,
		"SELECT id, value FROM numbers ORDER BY id",
		"SELECT value FROM numbers WHERE id = 3 FOR UPDATE NOWAIT",
		"SELECT id FROM numbers ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
		"UPDATE numbers SET value = 31 WHERE id = 3",
		"UPDATE numbers SET value = value + 5 WHERE value = 50",
		"INSERT INTO numbers (id, value) VALUES (4, 40)",
		lock2, "SAVEPOINT s", "ROLLBACK TO SAVEPOINT s",
	}
	if kind == pg {
		out = append(out, "DELETE FROM numbers WHERE id = 3", "INSERT INTO numbers (id, value) VALUES (3, 33)")
	}
	return out
}

// indexed go by the index of the items, which are no primary key: a walk along it
// locks the rows, and the gaps of the index. None of them but inserts goes by the
// primary key, whose entries InnoDB locks apart, see the package comment.
var indexed = []string{
	"BEGIN", "BEGIN", "COMMIT", "ROLLBACK",
	"SELECT quantity FROM goods WHERE item = 20 FOR UPDATE", "SELECT quantity FROM goods WHERE item = 25 FOR UPDATE",
	"UPDATE goods SET quantity = quantity - 1 WHERE item = 10", "UPDATE goods SET quantity = quantity - 1 WHERE item = 20",
	"INSERT INTO goods (id, item, quantity) VALUES (2, 15, 1)", "INSERT INTO goods (id, item, quantity) VALUES (4, 20, 1)",
	"INSERT INTO goods (id, item, quantity) VALUES (6, 25, 1)", "INSERT INTO goods (id, item, quantity) VALUES (7, 40, 1)",
}

func (r *real) must(t *testing.T, statement string) {
	t.Helper()
	if _, err := r.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// begin makes the table anew and three sessions.
func (r *real) begin(t *testing.T) {
	t.Helper()
	r.must(t, "DROP TABLE IF EXISTS numbers, goods")
	for _, statement := range tables(r.kind) {
		r.must(t, statement)
	}
	r.sessions, r.answers, r.waiting = map[string]*realSession{}, make(chan string, 3), nil
	id, setup := "SELECT pg_backend_pid()", "SET deadlock_timeout = '20ms'"
	if r.kind == innodb {
		id, setup = "SELECT CONNECTION_ID()", "SET SESSION innodb_lock_wait_timeout = 60"
	}
	for _, name := range []string{"A", "B", "C"} {
		conn, err := r.db.Conn(t.Context())
		s := &realSession{conn: conn}
		if err == nil {
			err = conn.QueryRowContext(t.Context(), id).Scan(&s.id)
		}
		if err == nil {
			_, err = conn.ExecContext(t.Context(), setup)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.sessions[name] = s
	}
}

// end kills what still waits, so that nothing is left of the script.
func (r *real) end() {
	kill := "SELECT pg_terminate_backend(%d)"
	if r.kind == innodb {
		kill = "KILL %d"
	}
	for _, s := range r.sessions {
		_, _ = r.db.Exec(fmt.Sprintf(kill, s.id))
	}
	for range r.waiting {
		<-r.answers
	}
	for _, s := range r.sessions {
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = s.conn.Close()
	}
}

// send lets a session execute a statement, and returns the state once every
// statement is answered or waits for a lock.
func (r *real) send(t *testing.T, name, statement string) string {
	t.Helper()
	r.waiting = append(r.waiting, name)
	conn := r.sessions[name].conn
	go func() { r.answers <- name + ": " + shown(r.kind, execute(conn, statement)) }()
	var answers []string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		select {
		case a := <-r.answers:
			answers = append(answers, a)
			who, _, _ := strings.Cut(a, ":")
			r.waiting = slices.DeleteFunc(r.waiting, func(n string) bool { return n == who })
			continue
		case <-time.After(r.settling()):
		}
		if r.blocked(t) == len(r.waiting) && len(r.answers) == 0 {
			break
		}
	}
	slices.Sort(r.waiting)
	slices.Sort(answers)
	out := strings.Join(answers, ", ")
	if len(r.waiting) > 0 {
		out += " | waits: " + strings.Join(r.waiting, ", ")
	}
	return out
}

// settling is longer than PostgreSQL takes to find a deadlock, and than MariaDB
// shows an old list of transactions.
func (r *real) settling() time.Duration {
	switch {
	case len(r.waiting) == 0:
		return 0
	case r.kind == innodb:
		return 120 * time.Millisecond
	}
	return 50 * time.Millisecond
}

// blocked is how many of the sessions wait for a lock.
func (r *real) blocked(t *testing.T) (n int) {
	t.Helper()
	if len(r.waiting) == 0 {
		return 0
	}
	query := "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid IN (%s)"
	if r.kind == innodb {
		query = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_mysql_thread_id IN (%s)"
	}
	var ids []string
	for _, name := range r.waiting {
		ids = append(ids, fmt.Sprint(r.sessions[name].id))
	}
	if err := r.db.QueryRowContext(t.Context(), fmt.Sprintf(query, strings.Join(ids, ", "))).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// execute carries out a statement as the driver of the simulator does.
func execute(conn *sql.Conn, statement string) sqlstore.Answer {
	ctx := context.Background()
	if !strings.HasPrefix(statement, "SELECT") {
		result, err := conn.ExecContext(ctx, statement)
		if err != nil {
			return sqlstore.Answer{Err: err}
		}
		n, err := result.RowsAffected()
		return sqlstore.Answer{Affected: n, Err: err}
	}
	found, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return sqlstore.Answer{Err: err}
	}
	defer found.Close() //nolint:errcheck // the error of reading says it
	a := sqlstore.Answer{Query: true}
	a.Columns, err = found.Columns()
	for err == nil && found.Next() {
		values, into := make([]int64, len(a.Columns)), make([]any, len(a.Columns))
		for i := range values {
			into[i] = &values[i]
		}
		err = found.Scan(into...)
		a.Rows = append(a.Rows, nil)
		for _, v := range values {
			a.Rows[len(a.Rows)-1] = append(a.Rows[len(a.Rows)-1], v)
		}
	}
	if err == nil {
		err = found.Err()
	}
	a.Err = err
	return a
}
