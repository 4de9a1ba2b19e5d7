package sqllock_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// What happens when the connection or the server goes while the server carries
// out a statement.
var midwayTests = suite{
	"a connection cut while acquiring leaves nothing":  cutWhileAcquiring,
	"a server that dies while acquiring leaves doubt":  deathWhileAcquiring,
	"a release whose connection is cut is sent again":  cutWhileReleasing,
	"a server that dies while releasing is told about": deathWhileReleasing,
}

// midway is for locks whose statements may wait as long as a test likes.
var midway = sqllock.Config{TTL: time.Minute, RequestTimeout: 20 * time.Second}

// strike lets a statement of f wait inside the server, for a row that a
// transaction of the test has locked, and then lets blow do what it does to the
// connection with that number. It returns what f returns.
func (w *world) strike(t *testing.T, f func() error, blow func(id int64)) error {
	t.Helper()
	tx, err := w.DB.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // the server may be gone
	var name string
	err = tx.QueryRow(w.Dialect.Rewrite("SELECT name FROM "+w.table+" WHERE name = ? FOR UPDATE", nil), key).Scan(&name)
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- f() }()
	blow(w.blocked(t))
	_ = tx.Rollback() // the row is free for what comes after the blow
	return <-result
}

// blocked waits for a statement about the lock table that waits for a row, and
// returns the number of its connection.
func (w *world) blocked(t *testing.T) (id int64) {
	t.Helper()
	query := "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
	if w.Kind() == dialect.KindMySQL {
		query = "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
	}
	// InnoDB shows again what it showed within the last 0.1 s, even if that is
	// asked for again and again.
	look, limit := time.NewTicker(150*time.Millisecond), time.NewTimer(time.Minute)
	defer look.Stop()
	defer limit.Stop()
	for {
		err := w.DB.QueryRowContext(t.Context(), query).Scan(&id)
		if err == nil {
			return id
		}
		if !errors.Is(err, sql.ErrNoRows) {
			t.Fatal(err)
		}
		select {
		case <-look.C:
		case <-limit.C:
			t.Fatal("no statement waits for the row")
		}
	}
}

// cut makes the server end one connection.
func (w *world) cut(t *testing.T) func(id int64) {
	return func(id int64) {
		t.Helper()
		if w.Kind() == dialect.KindPostgres {
			w.Exec(t, "SELECT pg_terminate_backend(?)", id)
			return
		}
		w.Exec(t, "KILL ?", id)
	}
}

func (w *world) die(int64) { w.Server.Kill() }

// restart also empties the pool of connections to the server that died.
func (w *world) restart(t *testing.T) {
	t.Helper()
	w.DB.SetMaxIdleConns(0)
	defer w.DB.SetMaxIdleConns(2) // as database/sql has it
	w.Server.Restart(t)
}

// midwayMutex makes a mutex, and the row that a statement can wait for.
func (w *world) midwayMutex(t *testing.T) *sqllock.Mutex {
	t.Helper()
	w.needsServer(t)
	m := w.mutex(t, midway)
	release(t, acquire(t, m))
	return m
}

func tryAcquire(t *testing.T, m *sqllock.Mutex) func() error {
	return func() error {
		_, err := m.TryAcquire(t.Context(), key)
		return err
	}
}

func cutWhileAcquiring(t *testing.T, w *world) {
	m := w.midwayMutex(t)
	err := w.strike(t, tryAcquire(t, m), w.cut(t))
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantNot(t, "TryAcquire", err, lock.ErrUnknownOutcome)
	if owner, token, _ := w.row(t); owner != "" || token != 1 {
		t.Errorf("the row has owner %q and token %d, want it as it was", owner, token)
	}
	release(t, acquire(t, m))
}

func deathWhileAcquiring(t *testing.T, w *world) {
	m := w.midwayMutex(t)
	err := w.strike(t, tryAcquire(t, m), w.die)
	w.restart(t)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantErr(t, "TryAcquire", err, lock.ErrUnknownOutcome)
	next := acquire(t, m)
	if token := tokenOf(t, next); token != 2 {
		t.Errorf("token %d, want 2: nothing was granted in between", token)
	}
	release(t, next)
}

func cutWhileReleasing(t *testing.T, w *world) {
	m := w.midwayMutex(t)
	lease := acquire(t, m)
	err := w.strike(t, func() error { return lease.Release(t.Context()) }, w.cut(t))
	if err != nil {
		t.Errorf("Release: %v", err)
	}
	release(t, acquire(t, m))
}

func deathWhileReleasing(t *testing.T, w *world) {
	m := w.midwayMutex(t)
	lease := acquire(t, m)
	err := w.strike(t, func() error { return lease.Release(t.Context()) }, w.die)
	w.restart(t)
	wantErr(t, "Release", err, lock.ErrUnknownOutcome)
	wantNot(t, "Release", err, lock.ErrNotHeld)
	wantErr(t, "Err", lease.Err(), lock.ErrReleased)
	if owner, _, left := w.row(t); owner != lease.Owner() || left > midway.TTL {
		t.Errorf("the row has owner %q for %v, want %q until its TTL is over", owner, left, lease.Owner())
	}
	w.age(t, midway.TTL)
	release(t, acquire(t, m))
}
