package sqlstore_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver called mysql
	"pgregory.net/rapid"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

const (
	createTriples = "CREATE TABLE triples (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER)"
	selectTriples = "SELECT id, a, b FROM triples ORDER BY id"
)

// upserts are assignments whose order matters, with ? for four arguments.
var upserts = []string{
	"a = IF(a < ?, ?, a), b = IF(a < ?, ?, b)",
	"b = IF(a < ?, ?, b), a = IF(a < ?, ?, a)",
	"a = b + ?, b = a + ?, a = a + ?, b = b - ?",
	"a = IF(b IN (?, ?), b, a), b = IF(a IN (?, ?), a, b)",
}

func TestAssignmentsSeeThoseBeforeThem(t *testing.T) {
	db := newLeftToRight(t)
	s, err := db.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 row", "2 rows", "0 rows"} {
		s.Do(sqlstore.Statement{
			Text: "INSERT INTO triples (id, a, b) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE a = ?, b = a + ?",
			Args: []driver.Value{int64(1), int64(1), int64(1), int64(10), int64(5)},
		}, func(a sqlstore.Answer) {
			if a.String() != want {
				t.Errorf("the answer is %s, want %s", a, want)
			}
		})
	}
	if rows, err := db.View(selectTriples); err != nil || fmt.Sprint(rows) != "[[1 10 15]]" {
		t.Errorf("the row is %v, %v; want b from the new a", rows, err)
	}
}

func newLeftToRight(t tb) *sqlstore.LeftToRight {
	t.Helper()
	db, err := sqlstore.NewLeftToRight(clock.Real())
	if err == nil {
		err = db.Run(createTriples)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// TestUpsertsEndAsInMariaDB carries out random upserts on both.
func TestUpsertsEndAsInMariaDB(t *testing.T) {
	server := realserver.MariaDB(t)
	maria, err := sql.Open("mysql", server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = maria.Close() })
	small := rapid.Int64Range(0, 4)
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range []string{"DROP TABLE IF EXISTS triples", createTriples} {
			if _, err := maria.ExecContext(bg, s); err != nil {
				t.Fatal(err)
			}
		}
		model := newLeftToRight(t)
		session, err := model.Open()
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(t, "statements") {
			text := "INSERT INTO triples (id, a, b) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE " +
				rapid.SampledFrom(upserts).Draw(t, "assignments")
			args := []driver.Value{rapid.Int64Range(1, 2).Draw(t, "id")}
			for range 6 {
				args = append(args, small.Draw(t, "argument"))
			}
			want := affected(t, maria, text, args)
			session.Do(sqlstore.Statement{Text: text, Args: args}, func(a sqlstore.Answer) {
				if a.Err != nil || a.Affected != want {
					t.Fatalf("the model answers %v, MariaDB %d, to %s %v", a, want, text, args)
				}
			})
		}
		got, err := model.View(selectTriples)
		if want := triples(t, maria); err != nil || fmt.Sprint(got) != want {
			t.Fatalf("the rows are %v, %v; in MariaDB %s", got, err, want)
		}
	})
}

func affected(t *rapid.T, db *sql.DB, text string, args []driver.Value) int64 {
	plain := make([]any, len(args))
	for i, a := range args {
		plain[i] = a
	}
	r, err := db.ExecContext(bg, text, plain...)
	if err != nil {
		t.Fatal(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func triples(t *rapid.T, db *sql.DB) string {
	rows, err := db.QueryContext(bg, selectTriples)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // read to the end below
	all := [][]int64{}
	for rows.Next() {
		var id, a, b int64
		if err := rows.Scan(&id, &a, &b); err != nil {
			t.Fatal(err)
		}
		all = append(all, []int64{id, a, b})
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(all)
}
