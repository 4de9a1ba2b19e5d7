//go:build unix

package sqllock_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

var processTests = suite{
	"a killed holder is succeeded when its lease is over": killedHolder,
	"a stopped holder finds out, and is fenced off":       stoppedHolder,
}

// The environment of this test binary when it is started as a holder.
const (
	envDSN   = "SQLLOCK_TEST_DSN"
	envKind  = "SQLLOCK_TEST_KIND"
	envTable = "SQLLOCK_TEST_TABLE"
)

// childTTL is the lease of a holder in another process.
const childTTL = 400 * time.Millisecond

var drivers = map[dialect.Kind]string{dialect.KindPostgres: "pgx", dialect.KindMySQL: "mysql"}

// TestHolderProcess is no test but the holder, in a process of its own: it
// acquires the lock, says so, waits for a line of input, and then says what it
// finds.
func TestHolderProcess(t *testing.T) {
	dsn := os.Getenv(envDSN)
	if dsn == "" {
		t.Skip("only run as a process by other tests")
	}
	kind := dialect.Kind(os.Getenv(envKind))
	d := map[dialect.Kind]dialect.Dialect{
		dialect.KindPostgres: dialect.Postgres(), dialect.KindMySQL: dialect.MySQL(),
	}[kind]
	db, err := sql.Open(drivers[kind], dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m, err := sqllock.New(db, sqllock.Config{Dialect: d, Table: os.Getenv(envTable), TTL: childTTL})
	if err != nil {
		t.Fatal(err)
	}
	lease := acquire(t, m)
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')

	<-lease.Done() // at once, as soon as its timer has had a turn
	fmt.Println("lost:", errors.Is(lease.Err(), lock.ErrLost))
	rows, err := rowlock.New(db, rowlock.Config{Dialect: d})
	if err != nil {
		t.Fatal(err)
	}
	resource := sqlfencing.NewResource(rows, os.Getenv(envTable)+"_data")
	err = resource.Write(context.Background(), "x", -1, tokenOf(t, lease))
	fmt.Println("stale:", errors.Is(err, fencing.ErrStale))
	fmt.Println("not held:", errors.Is(lease.Release(context.Background()), lock.ErrNotHeld))
}

// holder is a process that holds the lock.
type holder struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func (w *world) startHolder(t *testing.T) *holder {
	t.Helper()
	w.needsServer(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolderProcess$", "-test.v")
	cmd.Env = append(os.Environ(),
		envDSN+"="+w.Server.DSN(), envKind+"="+string(w.Kind()), envTable+"="+w.table)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &holder{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended in most tests
		_ = cmd.Wait()
	})
	h.read(t, "held")
	return h
}

// read returns the rest of the next line that begins so.
func (h *holder) read(t *testing.T, beginning string) string {
	t.Helper()
	for h.out.Scan() {
		if rest, found := strings.CutPrefix(h.out.Text(), beginning); found {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("the holder ended before it said %q", beginning)
	return ""
}

func (h *holder) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func killedHolder(t *testing.T, w *world) {
	h := w.startHolder(t)
	h.signal(t, syscall.SIGKILL)
	killed := time.Now()
	next, err := w.mutex(t, sqllock.Config{PollMax: 10 * time.Millisecond}).Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(killed); waited > childTTL+5*time.Second { // the rest is a slow machine's
		t.Errorf("the next holder got in %v after the kill, with a lease of %v", waited, childTTL)
	}
	if token := tokenOf(t, next); token != 2 {
		t.Errorf("token %d, want 2", token)
	}
	release(t, next)
}

func stoppedHolder(t *testing.T, w *world) {
	rows, err := rowlock.New(w.DB, rowlock.Config{Dialect: w.Dialect})
	if err != nil {
		t.Fatal(err)
	}
	resource := sqlfencing.NewResource(rows, w.table+"_data")
	if err := errors.Join(resource.CreateSchema(t.Context()), resource.Create(t.Context(), "x", 0)); err != nil {
		t.Fatal(err)
	}
	h := w.startHolder(t)
	h.signal(t, syscall.SIGSTOP)
	next, err := w.mutex(t, sqllock.Config{PollMax: 10 * time.Millisecond}).Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := resource.Write(t.Context(), "x", 1, tokenOf(t, next)); err != nil {
		t.Fatal(err)
	}
	h.signal(t, syscall.SIGCONT)
	if _, err := io.WriteString(h.in, "go on\n"); err != nil {
		t.Fatal(err)
	}
	for _, claim := range []string{"lost:", "stale:", "not held:"} {
		if got := h.read(t, claim); got != "true" {
			t.Errorf("the stopped holder says %s %s, want true", claim, got)
		}
	}
	if value, err := resource.Read(t.Context(), "x"); err != nil || value != 1 {
		t.Errorf("the data is %d, %v; want the new holder's 1", value, err)
	}
	release(t, next)
}
