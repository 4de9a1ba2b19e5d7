package rowstore_test

import (
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/sim/store/rowstore"
)

const (
	pg     = dialect.KindPostgres
	innodb = dialect.KindMySQL
)

// step is a statement of a session and what it leads to; one without a session
// lets two seconds pass, and one without a statement ends the session.
type step struct{ session, statement, want string }

const (
	lock1 = "SELECT value FROM numbers WHERE id = 1 FOR UPDATE"
	lock2 = "SELECT value FROM numbers WHERE id = 2 FOR UPDATE"
	lock3 = "SELECT value FROM numbers WHERE id = 3 FOR UPDATE"
	read1 = "SELECT value FROM numbers WHERE id = 1"
	set1  = "UPDATE numbers SET value = value + 1 WHERE id = 1"
	add2  = "INSERT INTO numbers (id, value) VALUES (2, 20)"
)

func TestTransactions(t *testing.T) {
	for name, c := range map[string]struct {
		kind  dialect.Kind
		steps []step
	}{
		"a queue in order of arrival": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", set1, "A: 1 rows"},
			{"B", set1, " | waits: B"}, {"C", lock1, " | waits: B, C"},
			{"A", "COMMIT", "A: 0 rows, B: 1 rows, C: [[12]]"},
		}},
		"a connection that ends frees its rows": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", set1, "A: 1 rows"}, {"B", lock1, " | waits: B"},
			{"A", "", "B: [[10]]"},
		}},
		"NOWAIT and SKIP LOCKED": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", lock1, "A: [[10]]"},
			{"B", lock1 + " NOWAIT", "B: error busy"},
			{"B", "SELECT id FROM numbers ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "B: [[3]]"},
		}},
		"InnoDB undoes the one that closes a circle, at once": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"B", "BEGIN", "B: 0 rows"}, {"A", lock1, "A: [[10]]"}, {"B", lock3, "B: [[30]]"},
			{"A", lock3, " | waits: A"}, {"B", lock1, "A: [[30]], B: error retry"},
		}},
		"PostgreSQL looks for a circle after a second": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"B", "BEGIN", "B: 0 rows"}, {"A", lock1, "A: [[10]]"}, {"B", lock3, "B: [[30]]"},
			{"A", lock3, " | waits: A"}, {"B", lock1, " | waits: A, B"},
			{"", "", "A: error retry, B: [[10]]"},
		}},
		"InnoDB gap locks share the gap and keep inserts out": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"B", "BEGIN", "B: 0 rows"}, {"A", lock2, "A: []"}, {"B", lock2, "B: []"},
			{"A", add2, " | waits: A"}, {"B", add2, "A: 1 rows, B: error retry"},
		}},
		"PostgreSQL lets the second insert wait for the first": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", add2, "A: 1 rows"}, {"B", add2, " | waits: B"},
			{"A", "COMMIT", "A: 0 rows, B: error duplicate"},
		}},
		"without an index InnoDB locks every row": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", "UPDATE numbers SET value = 31 WHERE value = 30", "A: 1 rows"},
			{"B", lock1 + " NOWAIT", "B: error busy"}, {"B", add2, " | waits: B"},
		}},
		"without an index PostgreSQL locks the row that matches": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", "UPDATE numbers SET value = 31 WHERE value = 30", "A: 1 rows"},
			{"B", lock1 + " NOWAIT", "B: [[10]]"},
		}},
		"InnoDB reads from the snapshot and locks the newest": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", read1, "A: [[10]]"}, {"B", set1, "B: 1 rows"},
			{"A", read1, "A: [[10]]"}, {"A", lock1, "A: [[11]]"},
		}},
		"PostgreSQL reads what is committed": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", read1, "A: [[10]]"}, {"B", set1, "B: 1 rows"}, {"A", read1, "A: [[11]]"},
		}},
		"an error aborts on PostgreSQL, up to a savepoint": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", set1, "A: 1 rows"}, {"A", "SAVEPOINT s", "A: 0 rows"},
			{"A", "INSERT INTO numbers (id, value) VALUES (3, 0)", "A: error duplicate"}, {"A", read1, "A: error rejected"},
			{"A", "ROLLBACK TO SAVEPOINT s", "A: 0 rows"}, {"A", read1, "A: [[11]]"},
		}},
		"a savepoint with the name of another replaces it on InnoDB": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", "SAVEPOINT s", "A: 0 rows"}, {"A", set1, "A: 1 rows"}, {"A", "SAVEPOINT s", "A: 0 rows"},
			{"A", "RELEASE SAVEPOINT s", "A: 0 rows"}, {"A", "ROLLBACK TO SAVEPOINT s", "A: error rejected"}, {"A", lock1, "A: [[11]]"},
		}},
		"and hides it on PostgreSQL": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", "SAVEPOINT s", "A: 0 rows"}, {"A", set1, "A: 1 rows"}, {"A", "SAVEPOINT s", "A: 0 rows"},
			{"A", "RELEASE SAVEPOINT s", "A: 0 rows"}, {"A", "ROLLBACK TO SAVEPOINT s", "A: 0 rows"}, {"A", lock1, "A: [[10]]"},
		}},
		"a savepoint that is not there aborts on PostgreSQL": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", "ROLLBACK TO SAVEPOINT s", "A: error rejected"}, {"A", read1, "A: error rejected"},
		}},
		"and changes nothing on InnoDB": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", set1, "A: 1 rows"}, {"A", "ROLLBACK TO SAVEPOINT s", "A: error rejected"}, {"A", lock1, "A: [[11]]"},
		}},
		"a search that waits on InnoDB keeps inserts out of the gap before the row": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", lock3, "A: [[30]]"},
			{"B", "UPDATE numbers SET value = 51 WHERE value = 50", " | waits: B"}, {"C", add2, " | waits: B, C"},
			{"A", "COMMIT", "A: 0 rows, B: 1 rows, C: 1 rows"},
		}},
		"a search that LIMIT ends on InnoDB leaves the next gap alone": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", "SELECT id FROM numbers ORDER BY id LIMIT 1 FOR UPDATE", "A: [[1]]"}, {"B", add2, "B: 1 rows"},
		}},
		"everybody has the row that it waited for before anybody goes on": {innodb, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", lock1, "A: [[10]]"}, {"A", lock3, "A: [[30]]"},
			{"B", "UPDATE numbers SET value = 51 WHERE value = 50", " | waits: B"}, {"C", "BEGIN", "C: 0 rows | waits: B"}, {"C", lock3, " | waits: B, C"},
			{"A", "COMMIT", "A: 0 rows, C: [[30]] | waits: B"},
		}},
		"a wait ends with its bound": {pg, []step{
			{"A", "BEGIN", "A: 0 rows"}, {"A", lock1, "A: [[10]]"}, {"B", "BEGIN", "B: 0 rows"},
			{"B", "SET LOCAL lock_timeout = 1500", "B: 0 rows"}, {"B", lock1, " | waits: B"}, {"", "", "B: error busy"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, c.kind)
			for i, s := range c.steps {
				switch {
				case s.session == "":
					m.advance(2 * time.Second)
				case s.statement == "":
					m.session(s.session).Close()
				default:
					m.send(s.session, s.statement)
				}
				if got := m.state(); got != s.want {
					t.Fatalf("step %d, %s %s: %q, want %q", i+1, s.session, s.statement, got, s.want)
				}
			}
		})
	}
}

func TestAnIdleTransactionIsEnded(t *testing.T) {
	m := newModel(t, pg, func(c *rowstore.Config) { c.Idle = 3 * time.Second })
	m.send("A", "BEGIN")
	m.send("A", lock1)
	m.advance(2 * time.Second)
	m.send("A", "SELECT 1") // a sign of life
	m.send("B", lock1)
	m.advance(2 * time.Second)
	m.state()
	m.advance(time.Second)
	if got := m.state(); got != "B: [[10]]" {
		t.Errorf("3 s after the last statement of A: %q, want that B has the row", got)
	}
	m.send("A", "SELECT 1")
	if got := m.state(); got != "A: error unknown" {
		t.Errorf("the session that was ended is told %q", got)
	}
}
