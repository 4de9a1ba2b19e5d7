//go:build unix

package etcdlock_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// holder is a process of its own that holds the lock "k".
type holder struct {
	*exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func (w *world) startHolder() *holder {
	w.t.Helper()
	h := &holder{Cmd: exec.Command(os.Args[0])}
	h.Env = append(os.Environ(), holderEnv+"="+w.server.Endpoint())
	h.Stderr = os.Stderr
	in, err := h.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := h.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	h.in, h.out = in, bufio.NewReader(out)
	if err := h.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = h.Process.Kill()
		_ = h.Wait()
	})
	if said := h.read(w.t); said != "held" {
		w.t.Fatalf("the holder said %q", said)
	}
	return h
}

func (h *holder) read(t testing.TB) string {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the holder said %q: %v", line, err)
	}
	return strings.TrimSpace(line)
}

func (h *holder) signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := h.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func TestAKilledHolderIsSucceededByTheTTL(t *testing.T) {
	w := newWorld(t)
	h := w.startHolder()
	next := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	h.signal(t, syscall.SIGKILL)
	got := within(t, 5*time.Second, "the grant after the holder's death", next)
	if got.err != nil {
		t.Fatal(got.err)
	}
	w.release(got.lease)
}

func TestAStoppedHolderFindsItselfSucceeded(t *testing.T) {
	w := newWorld(t)
	h := w.startHolder()
	h.signal(t, syscall.SIGSTOP)
	successor := w.acquire(w.locker(etcdlock.Config{}), "k")
	if err := etcdlock.GuardedPut(t.Context(), successor, "data", "fresh"); err != nil {
		t.Fatal(err)
	}
	h.signal(t, syscall.SIGCONT)
	if _, err := io.WriteString(h.in, "go on\n"); err != nil {
		t.Fatal(err)
	}
	if said, want := h.read(t), "write-refused=true done=true release-not-held=true"; said != want {
		t.Errorf("the stopped holder reports %q, want %q", said, want)
	}
	if got := w.value("data"); got != "fresh" {
		t.Errorf("data = %q after a stale write", got)
	}
	if keys := w.keys("k/"); len(keys) != 1 || keys[0] != successor.EntryKey() {
		t.Errorf("queue holds %v, want the successor's key", keys)
	}
}
