//go:build unix

package rowlock_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/internal/holdertest"
)

var holderTests = suite{
	"a killed holder of a record is succeeded at the end of its lease": killedRecordHolder,
	"a stopped holder of a record finds itself succeeded":              stoppedRecordHolder,
	"a killed holder of a row is succeeded at once":                    killedRowHolder,
	"a stopped holder of a row is succeeded by the server's limit":     stoppedRowHolder,
}

const (
	// The lease of a record is short enough to be waited out, and renewed so
	// often that it outlasts the pauses of a slow machine.
	holderTTL    = 1200 * time.Millisecond
	holderRenews = 100 * time.Millisecond
	// idleLimit is how long a server lets a transaction do nothing.
	idleLimit = 2 * time.Second
)

func init() { holdertest.RunIfHolder(openHolder) }

// openHolder takes the kind of lock, the table, and the database by name and
// address.
func openHolder(_ context.Context, args []string) (lock.Locker, error) {
	db, d, err := sqltest.Dial(args[2], args[3])
	if err != nil {
		return nil, err
	}
	switch args[0] {
	case "record":
		return rowlock.NewRecord(db, rowlock.RecordConfig{
			Dialect: d, Table: args[1], TTL: holderTTL, RenewEvery: holderRenews,
		})
	case "row":
		return rowlock.NewMutex(db, rowlock.MutexConfig{Dialect: d, Table: args[1], CheckEvery: holderRenews})
	}
	return nil, fmt.Errorf("no lock is called %q", args[0])
}

func killedRecordHolder(t *testing.T, w *world) { w.recordHolders(t).KilledHolder(t) }

func stoppedRecordHolder(t *testing.T, w *world) { w.recordHolders(t).StoppedHolder(t) }

// recordHolders makes the record one of processes, beside a resource in the same
// database.
func (w *world) recordHolders(t *testing.T) holdertest.Backend {
	t.Helper()
	w.needsServer(t)
	resource := sqlfencing.NewResource(w.rows, w.table("data"))
	if err := errors.Join(resource.CreateSchema(t.Context()), resource.Create(t.Context(), "stock", 0)); err != nil {
		t.Fatal(err)
	}
	return holdertest.Backend{
		Key: key, Args: []string{"record", w.table("records"), w.Name, w.Server.DSN()}, TTL: holderTTL,
		Next: w.record(t, rowlock.RecordConfig{}), Look: w.look,
		Write: func(value int64, token lock.Token) error {
			return resource.Write(context.Background(), "stock", value, token)
		},
	}
}

func (w *world) needsServer(t *testing.T) {
	t.Helper()
	if w.Server == nil {
		t.Skip("an embedded database has no other processes")
	}
}

func (w *world) look(t testing.TB) (s holdertest.Standing) {
	t.Helper()
	var ends int64
	w.Scan(t, "SELECT owner, expires_ms FROM "+w.table("records")+" WHERE name = ?", []any{key}, &s.Owner, &ends)
	s.Ends = time.UnixMilli(ends)
	return s
}

func killedRowHolder(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	h := holdertest.Start(t, key, "row", w.table("rows"), w.Name, w.Server.DSN())
	_, err := m.TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire while the holder lives", err, rowlock.ErrBusy)
	// The waiter needs no more than the news of the broken connection.
	if err := w.waiting(t, t.Context(), m, h.Kill); err != nil {
		t.Errorf("Acquire: %v", err)
	}
}

// The connection of a stopped process is open: only a limit of the server frees
// its row. A holder that gives signs of life is not meant by it.
func stoppedRowHolder(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	h := holdertest.Start(t, key, "row", w.table("rows"), w.Name, w.limited())
	ctx, cancel := context.WithTimeout(t.Context(), 2*idleLimit)
	defer cancel()
	_, err := m.Acquire(ctx, key)
	wantErr(t, "Acquire while the holder lives", err, context.DeadlineExceeded)

	if err := w.waiting(t, t.Context(), m, h.Stop); err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	o := h.GoOn(nil) // there is no token to write with
	if !o.Expired || !o.NotHeld {
		t.Errorf("the stopped holder finds that its lease says %q and its release %q, want session expired and not held",
			o.Ended, o.Release)
	}
	release(t, acquire(t, m))
}

// limited is the address of the server with a limit for idle transactions.
func (w *world) limited() string {
	if w.Kind() == dialect.KindPostgres {
		return fmt.Sprintf("%s&idle_in_transaction_session_timeout=%d", w.Server.DSN(), idleLimit.Milliseconds())
	}
	return fmt.Sprintf("%s&idle_transaction_timeout=%d", w.Server.DSN(), int(idleLimit.Seconds()))
}
