package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// engine is what both databases of this package are.
type engine interface {
	sqlstore.Engine
	Run(statements ...string) error
}

// world is one database and its clients.
type world struct {
	t    *testing.T
	k    *kernel.Kernel
	net  *network.Network
	rec  *record.Recorder
	node *sqlstore.Node
	proc *kernel.Process
	dbs  []*sql.DB
}

const (
	lockSchema = "CREATE TABLE locks (name TEXT PRIMARY KEY, owner TEXT, expires INTEGER)"
	lockView   = "SELECT name, owner, expires FROM locks"
	rowSchema  = "CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT UNIQUE)"
	rowView    = "SELECT 'rows#' || id, text, NULL FROM rows"
)

func newWorld(t *testing.T, build func(*kernel.Process) (engine, error)) *world {
	t.Helper()
	w := &world{t: t, k: kernel.New(1, kernel.Limits{})}
	w.rec = record.New(w.k, trace.Header{Actors: []trace.Actor{{Name: "db", Role: trace.RoleStore}}}, nil)
	w.net = network.New(w.k, w.rec, time.Millisecond, &network.Faults{})
	w.proc = w.k.NewProcess("db")
	e, err := build(w.proc)
	if err == nil {
		err = e.Run(lockSchema, rowSchema)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.node = sqlstore.New(w.proc, w.net, w.rec, e, sqlstore.Config{
		Views: []string{rowView, lockView}, Rows: []string{rowView}, Locks: []string{"l"},
		Owner: func(g string) string { return "owner of " + g },
	})
	t.Cleanup(func() {
		w.k.Close()
		for _, db := range w.dbs {
			w.must(db.Close())
		}
		w.node.Close()
	})
	return w
}

func realSQLite(p *kernel.Process) (engine, error) { return sqlstore.NewSQLite(p.Clock()) }

// client runs f as a client of its own.
func (w *world) client(name string, f func(p *kernel.Process, db *sql.DB)) *kernel.Process {
	p := w.k.NewProcess(name)
	db := w.node.DB(p)
	w.dbs = append(w.dbs, db)
	p.Go("main", func() { f(p, db) })
	return p
}

func (w *world) run() *trace.Trace {
	w.t.Helper()
	if err := w.k.Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return w.rec.Finish(true)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("at %v: %v", w.k.Now(), err)
	}
}

func (w *world) exec(db *sql.DB, statement string, args ...any) int64 {
	w.t.Helper()
	r, err := db.ExecContext(bg, statement, args...)
	if err != nil {
		w.t.Errorf("%s: %v", statement, err)
		return 0
	}
	n, err := r.RowsAffected()
	w.must(err)
	return n
}

func TestAStatementIsOneExchange(t *testing.T) {
	w := newWorld(t, realSQLite)
	w.client("A", func(_ *kernel.Process, db *sql.DB) {
		if n := w.exec(db, "INSERT INTO rows (id, text) VALUES (?, ?)", 7, "x"); n != 1 {
			t.Errorf("%d rows changed, want 1", n)
		}
		var text string
		w.must(db.QueryRowContext(bg, "SELECT text FROM rows WHERE id = ?", 7).Scan(&text))
		if text != "x" || w.k.Now() != kernel.Time(4*time.Millisecond) {
			t.Errorf("read %q at %v, want x at 4ms", text, w.k.Now())
		}
	})
	tr := w.run()
	exec := tr.Event(2)
	if exec.Text != "INSERT INTO rows VALUES (7, 'x')" || exec.Reply != "1 row" || exec.At != int64(time.Millisecond) {
		t.Errorf("the execution is %q = %q at %d", exec.Text, exec.Reply, exec.At)
	}
	if c := exec.Changes; len(c) != 1 || c[0].Key != "rows#7" || c[0].Value != "x" {
		t.Errorf("changes %v, want the new row", c)
	}
}

func TestALeaseEndsWithoutAnyStatement(t *testing.T) {
	w := newWorld(t, realSQLite)
	end := kernel.Epoch.Add(300 * time.Millisecond).UnixMilli()
	w.client("A", func(_ *kernel.Process, db *sql.DB) {
		w.exec(db, "INSERT INTO locks VALUES ('l', 'g', ?)", end)
	})
	tr := w.run()
	last := tr.Event(tr.Len())
	if last.Kind != trace.KindExpire || last.At != int64(301*time.Millisecond) {
		t.Errorf("the last event is %s at %d, want the end of the lease, 1 ms after its last one", last.Kind, last.At)
	}
	if at := tr.At(tr.Len() - 1); at.Truth["l"].Owner != "owner of g" {
		t.Errorf("the owner before is %q", at.Truth["l"].Owner)
	}
	if at := tr.At(tr.Len()); at.Truth["l"].Owner != "" || at.Keys[trace.KeyID{Store: "db", Key: "l"}].Value != "g" {
		t.Error("after it the lock must be free and the row still there")
	}
}

func TestASetBackClockProlongsALease(t *testing.T) {
	w := newWorld(t, realSQLite)
	end := kernel.Epoch.Add(300 * time.Millisecond).UnixMilli()
	w.client("A", func(_ *kernel.Process, db *sql.DB) { w.exec(db, "INSERT INTO locks VALUES ('l', 'g', ?)", end) })
	w.k.After(200*time.Millisecond, func() { w.node.Jump(-time.Second) })
	tr := w.run()
	if last := tr.Event(tr.Len()); last.At != int64(1301*time.Millisecond) {
		t.Errorf("the lease ends at %d, want 1.301 s", last.At)
	}
}

func TestErrorsKeepTheirMeaning(t *testing.T) {
	w := newWorld(t, realSQLite)
	w.client("A", func(_ *kernel.Process, db *sql.DB) {
		w.exec(db, "INSERT INTO rows VALUES (1, 'x')")
		_, err := db.ExecContext(bg, "INSERT INTO rows VALUES (2, 'x')")
		var coded interface{ Code() int }
		if !errors.As(err, &coded) || coded.Code() != 2067 || err.Error() != "UNIQUE constraint failed: rows.text" {
			t.Errorf("a duplicate is %v", err)
		}
	})
	w.run()
}

func TestABrokenConnectionIsToldAndReplaced(t *testing.T) {
	w := newWorld(t, realSQLite)
	w.client("A", func(_ *kernel.Process, db *sql.DB) {
		if _, err := db.ExecContext(bg, "INSERT INTO rows VALUES (1, 'x')"); err == nil {
			t.Error("no error although the connection broke")
		}
		w.exec(db, "INSERT INTO rows VALUES (2, 'y')")
	})
	w.k.After(500*time.Microsecond, func() { w.net.Disconnect("A") })
	tr := w.run()
	end := tr.At(tr.Len())
	if _, first := end.Keys[trace.KeyID{Store: "db", Key: "rows#1"}]; first {
		t.Error("the statement was carried out although it was lost on the way")
	}
	if _, second := end.Keys[trace.KeyID{Store: "db", Key: "rows#2"}]; !second {
		t.Error("the client did not connect again")
	}
}

func TestAContextThatEndsGivesTheConnectionUp(t *testing.T) {
	w := newWorld(t, realSQLite)
	w.client("A", func(p *kernel.Process, db *sql.DB) {
		ctx, cancel := p.Clock().WithTimeout(bg, 500*time.Microsecond)
		defer cancel()
		if _, err := db.ExecContext(ctx, "INSERT INTO rows VALUES (1, 'x')"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		w.must(p.Clock().Sleep(bg, time.Second))
		if n := w.exec(db, "INSERT INTO rows VALUES (2, 'y')"); n != 1 {
			t.Errorf("the next statement changed %d rows: it got the answer of another", n)
		}
	})
	w.run()
}

func TestACrashRollsBack(t *testing.T) {
	w := newWorld(t, realSQLite)
	var a *kernel.Process
	a = w.client("A", func(_ *kernel.Process, db *sql.DB) {
		conn, err := db.Conn(bg)
		w.must(err)
		for _, s := range []string{"BEGIN", "INSERT INTO rows VALUES (1, 'x')"} {
			_, err := conn.ExecContext(bg, s)
			w.must(err)
		}
		w.net.CrashProcess(a)
		w.k.Yield()
		t.Error("a crashed process goes on")
	})
	w.client("B", func(p *kernel.Process, db *sql.DB) {
		w.must(p.Clock().Sleep(bg, time.Second))
		w.exec(db, "INSERT INTO rows VALUES (1, 'y')")
	})
	tr := w.run()
	end := tr.At(tr.Len())
	if v := end.Keys[trace.KeyID{Store: "db", Key: "rows#1"}].Value; v != "y" {
		t.Errorf("the row is %q, want B's", v)
	}
}

// texts are what the node did, in order.
func texts(tr *trace.Trace) (out []string) {
	for i := 1; i <= tr.Len(); i++ {
		if e := tr.Event(i); e.Kind == trace.KindExec {
			out = append(out, e.Text)
		}
	}
	return out
}

func TestStatementsAreShownShort(t *testing.T) {
	w := newWorld(t, realSQLite)
	now := kernel.Epoch.Add(90 * time.Second).UnixMilli()
	w.client("A", func(_ *kernel.Process, db *sql.DB) {
		w.exec(db, "PRAGMA busy_timeout = 0")
		w.exec(db, "UPDATE  locks\nSET expires = ? WHERE expires < lockstep_now_ms() - ?", now, 60000)
		w.exec(db, "UPDATE locks SET expires = CASE WHEN 1 THEN 2 ELSE 3 END")
		w.exec(db, "UPDATE rows SET text = ?", strings.Repeat("ä", 300))
	})
	got := texts(w.run())
	want := []string{
		"UPDATE locks SET expires = 90s WHERE expires < now - 60000",
		"UPDATE locks SET expires = …",
		"UPDATE rows SET text = '" + strings.Repeat("ä", 175) + "…",
	}
	if !slices.Equal(got, want) {
		t.Errorf("shown as %q, want %q", got, want)
	}
}

func TestASessionShowsWhatItSees(t *testing.T) {
	w := newWorld(t, func(p *kernel.Process) (engine, error) {
		return sqlstore.NewSnapshots(p.Clock(), sqlstore.RepeatableRead)
	})
	w.client("A", func(p *kernel.Process, db *sql.DB) {
		conn, err := db.Conn(bg)
		w.must(err)
		run := func(s string) {
			_, err := conn.ExecContext(bg, s)
			w.must(err)
		}
		run("BEGIN")
		run("INSERT INTO rows VALUES (1, 'mine')")
		w.exec(db, "INSERT INTO rows VALUES (2, 'late')") // on another connection, after the snapshot
		run("COMMIT")
		w.must(conn.Close())
	})
	tr := w.run()
	var got []string
	for i := 1; i <= tr.Len(); i++ {
		for _, s := range tr.Event(i).Sessions {
			got = append(got, strings.TrimSpace(s.Name+" "+s.State+": "+s.Sees))
		}
	}
	want := []string{"A in transaction:", "A in transaction: rows#1=mine", "A in transaction: rows#1=mine, no rows#2", "A :"}
	if !slices.Equal(got, want) {
		t.Errorf("sessions %q, want %q", got, want)
	}
}
