//go:build unix

package holdertest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// patience is how long a holder lives at most, and how long a test waits for
// what must happen.
const patience = time.Minute

// Holder is a process of its own that holds a lock.
type Holder struct {
	// Grant is what the process was granted.
	Grant Grant

	t    testing.TB
	cmd  *exec.Cmd
	line line
}

// Start starts this program once more, as a holder of the lock named key, and
// returns when it has the lock. The args are for the function that was given to
// [RunIfHolder]. The process is killed and waited for when the test ends, and
// killed after a minute, so that nothing ever waits for it in vain.
func Start(t testing.TB, key string, args ...string) *Holder {
	t.Helper()
	text, err := json.Marshal(assignment{key, args})
	if err != nil {
		t.Fatal(err)
	}
	h := &Holder{t: t, cmd: exec.Command(os.Args[0])}
	h.cmd.Env = append(os.Environ(), variable+"="+string(text))
	h.cmd.Stderr = os.Stderr
	in, inErr := h.cmd.StdinPipe()
	out, outErr := h.cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(patience, h.end)
	t.Cleanup(func() {
		overdue.Stop()
		h.end()
		_ = h.cmd.Wait() // it was killed here, or by the test, or has said why it ended
	})
	h.line = newLine(out, in)
	h.hear(&h.Grant)
	return h
}

// end kills the process, stopped or not. An error means that it is gone already.
func (h *Holder) end() { _ = h.cmd.Process.Kill() }

// Kill kills the process with SIGKILL and returns when it is gone.
func (h *Holder) Kill() {
	h.t.Helper()
	h.signal(syscall.SIGKILL)
	if _, err := h.cmd.Process.Wait(); err != nil {
		h.t.Fatal(err)
	}
}

// Stop stops the process with SIGSTOP: none of its threads goes on, while its
// connections stay open.
func (h *Holder) Stop() {
	h.t.Helper()
	h.signal(syscall.SIGSTOP)
}

// GoOn lets the process continue, if it is stopped, and waits for the end of its
// lease. What it writes with its token goes to write, and may be refused with
// fencing.ErrStale; any other error fails the test.
func (h *Holder) GoOn(write func(token lock.Token) error) Outcome {
	h.t.Helper()
	h.say(struct{}{}) // while it is stopped, so that this is the first thing it does
	h.signal(syscall.SIGCONT)
	if h.Grant.Fenced {
		var token lock.Token
		h.hear(&token)
		err := write(token)
		if err != nil && !errors.Is(err, fencing.ErrStale) {
			h.t.Fatal(err)
		}
		h.say(err != nil)
	}
	var o Outcome
	h.hear(&o)
	return o
}

func (h *Holder) signal(s os.Signal) {
	h.t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		h.t.Fatalf("%v to the holder: %v", s, err)
	}
}

func (h *Holder) hear(message any) {
	h.t.Helper()
	if err := h.line.hear(message); err != nil {
		h.t.Fatalf("no word from the holder: %v", err)
	}
}

func (h *Holder) say(message any) {
	h.t.Helper()
	if err := h.line.say(message); err != nil {
		h.t.Fatalf("the holder hears nothing: %v", err)
	}
}
