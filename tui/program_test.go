package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen is the output of a program; others can wait for what appears on it.
type screen struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	more chan struct{} // closed and replaced at every write
}

func newScreen() *screen { return &screen{more: make(chan struct{})} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.buf.Write(p)
}

// wait returns once text has been written.
func (s *screen) wait(t *testing.T, text string) {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		s.mu.Lock()
		found, more := bytes.Contains(s.buf.Bytes(), []byte(text)), s.more
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-limit:
			t.Fatalf("%q has not appeared", text)
		}
	}
}

// program starts the interface on a pipe and gives what it needs to be driven.
func program(t *testing.T, ctx context.Context, opts Options) (in *io.PipeWriter, out *screen, done chan error) {
	t.Helper()
	r, in := io.Pipe()
	out, done = newScreen(), make(chan error, 1)
	go func() {
		done <- run(ctx, &fakeLibrary{}, opts, tea.WithInput(r), tea.WithOutput(out), tea.WithAltScreen(), tea.WithMouseCellMotion(),
			tea.WithFilter(sized))
		r.Close()
	}()
	t.Cleanup(func() { in.Close() })
	io.WriteString(in, "x") // means nothing, but lets the program learn its size
	return in, out, done
}

// sized gives the program a size, which a pipe does not have.
func sized(m tea.Model, msg tea.Msg) tea.Msg {
	if a := m.(*app); a.width == 0 {
		a.width, a.height = 80, 24
	}
	return msg
}

func ended(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the program does not end")
		return nil
	}
}

// restored fails unless the last thing that a program wrote puts the terminal
// back: the normal screen, the cursor, no mouse.
func (s *screen) restored(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l"} {
		on := bytes.Replace([]byte(seq), []byte("l"), []byte("h"), 1)
		if seq == "\x1b[?25h" {
			on = []byte("\x1b[?25l")
		}
		if bytes.LastIndex(s.buf.Bytes(), []byte(seq)) < bytes.LastIndex(s.buf.Bytes(), on) {
			t.Errorf("%q does not come after %q", seq, on)
		}
	}
}

func TestAProgramRunsFromTheListThroughALessonToItsEnd(t *testing.T) {
	in, out, done := program(t, t.Context(), Options{})
	for _, do := range []struct{ keys, want string }{
		{"", "distributed locks"}, {"j\r", "0/40"}, {"22l", "22/40"}, {"v", "compare-and-delete"},
		{"L", "只有所有者能释放"}, {"?", "按键"}, {"q", "租约"}, {"q", "课程"},
	} {
		if _, err := io.WriteString(in, do.keys); err != nil {
			t.Fatal(err)
		}
		out.wait(t, do.want)
	}
	io.WriteString(in, "q")
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
	out.restored(t)
}

func TestCtrlCLeavesTheTerminalAsItWas(t *testing.T) {
	in, out, done := program(t, t.Context(), Options{Lesson: misDeleteID})
	out.wait(t, "0/40")
	io.WriteString(in, "\x03")
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
	out.restored(t)
}

func TestTheEndOfTheContextIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, out, done := program(t, ctx, Options{})
	out.wait(t, "distributed locks")
	cancel()
	if err := ended(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	out.restored(t)
}

func TestSignalsEndTheProgramInOrder(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			in, out, done := program(t, t.Context(), Options{})
			out.wait(t, "distributed locks")
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				t.Fatal(err)
			}
			if err := self.Signal(sig); err != nil { // not every system can send it
				io.WriteString(in, "\x03")
				ended(t, done)
				t.Skip(err)
			}
			if err := ended(t, done); !errors.Is(err, context.Canceled) || err.Error() != sig.String()+" signal received" {
				t.Errorf("got %v", err)
			}
			out.restored(t)
		})
	}
}

func TestFrameIsWhatTheProgramShows(t *testing.T) {
	a := start(t, 100, 30, Options{Lesson: misDeleteID})
	press(a, "2", "2", "l")
	got, err := Frame(t.Context(), &fakeLibrary{}, Options{Lesson: misDeleteID}, 100, 30, 22)
	if err != nil || got != a.View() {
		t.Errorf("error %v, or another screen:\n%s", err, got)
	}
	press(a, "G")
	if got, _ = Frame(t.Context(), &fakeLibrary{}, Options{Lesson: misDeleteID}, 100, 30, -1); got != a.View() {
		t.Error("step -1 is not the end")
	}
	if _, err := Frame(t.Context(), &fakeLibrary{}, Options{Lesson: "redis/09-failover"}, 100, 30, 0); !errors.Is(err, errFixture) {
		t.Errorf("a lesson that cannot be opened: got %v", err)
	}
}
