//go:build unix

package consullock

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// holder is a process of its own that holds the lock "k".
type holder struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.Writer
	out   *bufio.Reader
	token lock.Token
}

func startHolder(t *testing.T, srv *consul.Server) *holder {
	t.Helper()
	h := &holder{t: t, cmd: exec.Command(os.Args[0])}
	h.cmd.Env = append(os.Environ(), holderEnv+"="+srv.Addr())
	h.cmd.Stderr = os.Stderr
	in, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.in, h.out = in, bufio.NewReader(out)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.cmd.Process.Kill()
		_ = h.cmd.Wait()
	})
	if said := h.read(); scan(said, &h.token) != nil {
		t.Fatalf("the holder said %q", said)
	}
	return h
}

func scan(said string, token *lock.Token) error {
	_, err := fmt.Sscanf(said, "held %d\n", token)
	return err
}

func (h *holder) read() string {
	h.t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		h.t.Fatalf("the holder said %q: %v", line, err)
	}
	return line
}

func (h *holder) signal(s os.Signal) {
	h.t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		h.t.Fatal(err)
	}
}

// briefServer takes sessions with a TTL below the usual minimum.
func briefServer(t *testing.T) *consul.Server {
	t.Helper()
	store := consul.NewStore(consul.Options{MinTTL: briefMinTTL})
	t.Cleanup(store.Close)
	return serve(t, store, "127.0.0.1:0")
}

func TestKilledHolderIsSucceeded(t *testing.T) {
	srv := briefServer(t)
	h := startHolder(t, srv)
	h.signal(syscall.SIGKILL)
	start := time.Now()
	mustRelease(t, mustAcquire(t, mutexOn(t, srv, brief), "k"))
	// The last renewal was sent less than a TTL before the death.
	if d := time.Since(start); d < brief.TTL {
		t.Errorf("succeeded after %v, before the session ended", d)
	}
}

func TestStoppedHolderFindsItselfSucceeded(t *testing.T) {
	srv := briefServer(t)
	h := startHolder(t, srv)
	h.signal(syscall.SIGSTOP)
	lease := mustAcquire(t, mutexOn(t, srv, brief), "k")
	resource := fencing.NewResource(nil)
	token, _ := lease.Token()
	if err := resource.Write("r", 2, token); err != nil {
		t.Fatal(err)
	}
	h.signal(syscall.SIGCONT)
	if _, err := io.WriteString(h.in, "go on\n"); err != nil {
		t.Fatal(err)
	}
	if said, want := h.read(), "lost=true not-held=true\n"; said != want {
		t.Errorf("the stopped holder says %q, want %q", said, want)
	}
	if err := resource.Write("r", 1, h.token); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("its write with token %d after %d: %v, want ErrStale", h.token, token, err)
	}
	if e := keyAt(t, srv.Store(), "k"); e == nil || string(e.Value) != lease.Owner() {
		t.Errorf("the key is %+v, want it to belong to the successor", e)
	}
	mustRelease(t, lease)
}
