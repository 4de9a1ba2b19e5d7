package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

// busy is a snapshot in which every line is as long as it may get.
var busy = contest.Snapshot{
	Elapsed: 3200 * time.Millisecond, Increments: 123456, Value: 123456, Grants: 123457,
	PerWorker: []int64{20000, 30000, 40000}, Holder: 1, Kept: 1200, Counted: true, Alone: 2, Each: 13.8,
	WaitP50: 1234567, WaitP99: 98765432, HandOffP50: 412345, HandOffP99: 2345678, Traffic: contest.Traffic{Renewals: 12},
}

func view(width, height int, o Options, now contest.Snapshot) []string {
	o.Duration, o.Workers = 5*time.Second, 3
	s := &stage{Options: o, name: "embedded redis", contest: contest.New(contest.Config{}, nil)}
	l := newLive(s, func() {})
	l.Update(tea.WindowSizeMsg{Width: width, Height: height})
	l.past = []contest.Snapshot{{Elapsed: 2200 * time.Millisecond, Grants: 122457}, now}
	return strings.Split(l.View(), "\n")
}

func TestThePictureFitsAndSaysEverything(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		lines := view(size[0], size[1], Options{}, busy)
		if len(lines) > size[1] {
			t.Errorf("%d lines on a terminal of %v", len(lines), size)
		}
		for _, line := range lines {
			if ansi.StringWidth(line) > size[0] {
				t.Errorf("%q is wider than %d", line, size[0])
			}
		}
		text := strings.Join(lines, "\n")
		for _, want := range []string{
			"lockstep demo · embedded redis", " 3.2 of 5s", "held by       worker 2", "lost updates  0",
			"increments    123456, 1000 a second", "each worker   20000 to 40000", "wait          p50 1.23ms, p99 98.8ms",
			"hand-off      p50 412µs, p99 2.35ms", "to itself     1 % of the grants", "requests      2 alone, 13.8 contended",
			"renewals      12", "q ends it",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", size, want, text)
			}
		}
		if bars := strings.Contains(text, "▸worker 2   █"); bars != (size[1] > 12) {
			t.Errorf("%v: bars: %v\n%s", size, bars, text)
		}
	}
}

func TestExceptionsComeBeforeTheRest(t *testing.T) {
	now := busy
	now.Overlaps, now.Losses, now.Failures, now.LastErr = 1, 2, 3, errors.New("connection refused")
	text := strings.Join(view(40, 12, Options{}, now), "\n")
	for _, want := range []string{"two at once   once\n", "leases lost   2\n", "errors        3, the latest: connection"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestWithoutTheLockNobodyHoldsIt(t *testing.T) {
	now := busy
	now.Value = 1
	text := strings.Join(view(60, 14, Options{NoLock: true}, now), "\n")
	if !strings.Contains(text, "worker 2, without a lock") || !strings.Contains(text, "lost updates  123455") || strings.Contains(text, "hand-off") {
		t.Errorf("the view is\n%s", text)
	}
}

func TestATerminalThatIsTooSmallIsTold(t *testing.T) {
	if got := view(39, 12, Options{}, busy)[0]; got != "The demo needs 40×12 cells." {
		t.Errorf("the view is %q", got)
	}
}

func TestThePresentRateIsThatOfTheLastSecond(t *testing.T) {
	l := newLive(&stage{contest: contest.New(contest.Config{}, nil)}, func() {})
	for i := range 30 {
		l.look(contest.Snapshot{Grants: int64(i)})
	}
	if len(l.past) != history+1 || l.past[0].Grants != 19 || l.past[history].Grants != 29 {
		t.Errorf("%d snapshots from %d on", len(l.past), l.past[0].Grants)
	}
}

func TestColoursSayNothingAlone(t *testing.T) {
	plain := lipgloss.NewRenderer(io.Discard)
	s := newStyles(plain)
	if got := s.bad.Render("lost updates 3"); got != "lost updates 3" {
		t.Errorf("without colours it is %q", got)
	}
}

// screen is the output of a program; others can wait for what appears on it.
type screen struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	more chan struct{} // closed and replaced at every write
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.buf.Write(p)
}

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

// TestEverythingEndsTheLiveView runs the real program: a key, the end of the
// time and the end of the context leave the same verdict.
func TestEverythingEndsTheLiveView(t *testing.T) {
	for _, tt := range []struct {
		name, key string
		duration  time.Duration
	}{
		{"Ctrl-C", "\x03", time.Hour}, {"q", "q", time.Hour}, {"context", "", time.Hour}, {"time", "", 300 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keys, press := io.Pipe()
			defer press.Close()
			defer keys.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			on, out := &screen{more: make(chan struct{})}, &bytes.Buffer{}
			o := brief("redis", out)
			o.Live, o.Duration = true, tt.duration
			done := make(chan error, 1)
			go func() {
				_, err := run(ctx, o, tea.WithAltScreen(), tea.WithInput(keys), tea.WithOutput(on), tea.WithFilter(sized))
				done <- err
			}()
			on.wait(t, "worker 4")
			switch {
			case tt.key != "":
				io.WriteString(press, tt.key)
			case tt.duration == time.Hour:
				cancel()
			}
			if err := <-done; err != nil || !strings.Contains(out.String(), "no update was lost.") {
				t.Errorf("%v, and the verdict is\n%s", err, out)
			}
			if !strings.HasPrefix(out.String(), "embedded redis, 4 workers, one lock") {
				t.Errorf("the verdict does not say of what:\n%s", out)
			}
		})
	}
}

// sized gives the program a size, which a pipe does not have.
func sized(m tea.Model, msg tea.Msg) tea.Msg {
	if l := m.(*live); l.width == 0 {
		l.width, l.height = 80, 24
	}
	return msg
}
