//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/tui"
)

func TestASignalBeforeTheInterfaceListensReachesIt(t *testing.T) {
	for _, args := range [][]string{{"play", "redis/02"}, {}} {
		var stderr bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &bytes.Buffer{}, errOut: &stderr, lang: lessons.English}
		a.terminal = func() bool { return true }
		a.show = func(ctx context.Context, _ tui.Library, _ tui.Options) error {
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(10 * time.Second):
				return fmt.Errorf("%q: the context goes on", args)
			}
		}
		if got := a.execute(args); got != statusInterrupted || stderr.String() != "lockstep: terminated signal received\n" {
			t.Errorf("%q: status %d, stderr %q", args, got, stderr.String())
		}
	}
}

func TestASignalThatOnlyTheInterfaceGotIsNamed(t *testing.T) {
	_, got := onTerminal(t, fmt.Errorf("hangup signal received%w", unsaid{context.Canceled}), "play", "redis/02")
	if want := (output{"", "lockstep: hangup signal received\n", statusInterrupted}); got != want {
		t.Errorf("got %+v", got)
	}
}

// unsaid wraps an error without telling it.
type unsaid struct{ error }

func (unsaid) Error() string   { return "" }
func (u unsaid) Unwrap() error { return u.error }
