//go:build unix

package zklock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
)

// holderEnv makes the test program a process that holds the lock "k" of the
// server that it names.
const holderEnv = "ZKLOCK_TEST_HOLDER"

func init() {
	if addr := os.Getenv(holderEnv); addr != "" {
		os.Exit(hold(addr))
	}
}

// hold acquires, says its token, waits for a line, and says what has become of
// its lease.
func hold(addr string) int {
	ctx := context.Background()
	m, err := zklock.Open(ctx, fmt.Sprintf("zk://%s?timeout=%v", addr, brief))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	lease, err := m.Acquire(ctx, "k")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	token, _ := lease.Token()
	fmt.Println("held", token)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return 1
	}
	<-lease.Done()
	fmt.Printf("done not-held=%v\n", errors.Is(lease.Release(ctx), lock.ErrNotHeld))
	return 0
}

// holder is such a process.
type holder struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.Writer
	out   *bufio.Reader
	token lock.Token
}

func startHolder(t *testing.T, addr string) *holder {
	t.Helper()
	h := &holder{t: t, cmd: exec.Command(os.Args[0])}
	h.cmd.Env = append(os.Environ(), holderEnv+"="+addr)
	h.cmd.Stderr = os.Stderr
	h.in = must(h.cmd.StdinPipe())
	h.out = bufio.NewReader(must(h.cmd.StdoutPipe()))
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.cmd.Process.Kill()
		_ = h.cmd.Wait()
	})
	if said := h.read(); second(fmt.Sscanf(said, "held %d\n", &h.token)) != nil {
		t.Fatalf("the holder said %q", said)
	}
	return h
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

func TestKilledHolderIsSucceededWhenItsSessionEnds(t *testing.T) {
	onEveryServer(t, func(t *testing.T, b backend) {
		h := startHolder(t, b.addr)
		m, _ := b.mutex(t)
		next := start(m, "k")
		h.signal(syscall.SIGKILL)
		killed := time.Now()
		if _, err := next.result(); err != nil {
			t.Fatal(err)
		}
		// The holder was heard of at most a third of the timeout before.
		if after := time.Since(killed); after < brief/2 {
			t.Errorf("succeeded after %v, before its session could end", after)
		}
	})
}

func TestStoppedHolderFindsItselfSucceeded(t *testing.T) {
	onEveryServer(t, func(t *testing.T, b backend) {
		h := startHolder(t, b.addr)
		h.signal(syscall.SIGSTOP)
		m, _ := b.mutex(t)
		lease := b.acquire(t, m, "k")
		resource := fencing.NewResource(nil)
		token, _ := lease.Token()
		if err := resource.Write("r", 2, token); err != nil {
			t.Fatal(err)
		}
		h.signal(syscall.SIGCONT)
		if _, err := io.WriteString(h.in, "go on\n"); err != nil {
			t.Fatal(err)
		}
		if said, want := h.read(), "done not-held=true\n"; said != want {
			t.Errorf("the stopped holder says %q, want %q", said, want)
		}
		if err := resource.Write("r", 1, h.token); !errors.Is(err, fencing.ErrStale) {
			t.Errorf("its write with token %d after %d: %v, want ErrStale", h.token, token, err)
		}
		if isDone(lease) {
			t.Error("the stopped holder took its successor's lock")
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
