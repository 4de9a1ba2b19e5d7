package demo

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// brief is a demo that takes as long as it needs to show something.
func brief(target string, out *bytes.Buffer) Options {
	return Options{Target: target, Workers: 4, Duration: 200 * time.Millisecond, Out: out}
}

func TestNothingIsLostOnARealLock(t *testing.T) {
	for _, target := range []string{"redis", "sqlite"} {
		t.Run(target, func(t *testing.T) {
			var out bytes.Buffer
			r, err := Run(t.Context(), brief(target, &out))
			if err != nil || r.Lost() != 0 || r.Increments == 0 || r.Overlaps != 0 {
				t.Errorf("%+v, %v", r, err)
			}
			for _, want := range []string{
				`(?m)^embedded ` + target + `, 4 workers, one lock, 200ms$`, `(?m)^requests +2 alone, \d+\.\d contended$`,
				`(?m)^lost updates +0$`, `(?m)^The lock kept the workers apart: no update was lost\.\n\z`,
			} {
				if !regexp.MustCompile(want).MatchString(out.String()) {
					t.Errorf("no %s in\n%s", want, &out)
				}
			}
			if strings.Contains(out.String(), "ended early") {
				t.Errorf("it ran to its end:\n%s", &out)
			}
		})
	}
}

func TestWithoutTheLockTheLossIsTold(t *testing.T) {
	var out bytes.Buffer
	o := brief("redis", &out)
	o.NoLock = true
	r, err := Run(t.Context(), o)
	if err != nil || r.Lost() <= 0 || r.Traffic.Requests != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if text := Loss(o, r); !strings.Contains(text, "--no-lock") || strings.Contains(out.String(), "kept the workers apart") {
		t.Errorf("%q after\n%s", text, &out)
	}
}

func TestTheEndOfTheContextGivesTheVerdictSoFar(t *testing.T) {
	var out bytes.Buffer
	o := brief("redis", &out)
	o.Duration = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	r, err := Run(ctx, o)
	if err != nil || r.Increments == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(out.String(), "ended early   after ") || !strings.Contains(out.String(), "no update was lost.") {
		t.Errorf("the verdict is\n%s", &out)
	}
}

func TestAContextThatIsOverIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if _, err := Run(ctx, brief("redis", &out)); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v after %q", err, &out)
	}
}

func TestAFailingOutputEndsIt(t *testing.T) {
	full := errors.New("no space left on device")
	o := brief("redis", nil)
	o.Duration, o.Out = time.Hour, failing{full}
	if _, err := Run(t.Context(), o); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestLossNamesTheCulprit(t *testing.T) {
	lossy := contest.Snapshot{Increments: 10, Value: 7}
	for _, tt := range []struct {
		o    Options
		r    contest.Snapshot
		want string
	}{
		{Options{}, contest.Snapshot{Increments: 10, Value: 10}, ""},
		{Options{}, lossy, "3 of 10 updates were lost although every worker held the lock"},
		{Options{NoLock: true}, lossy, "3 of 10 updates were lost: without the lock (--no-lock) nothing keeps the workers apart"},
	} {
		if got := Loss(tt.o, tt.r); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestNoWorkToSpeakOf(t *testing.T) {
	for _, tt := range []struct {
		noLock bool
		done   int64
		want   string
	}{
		{false, 0, "Nothing was incremented in that time."},
		{true, 5, "No update was lost, by luck: there was no lock."},
	} {
		var out bytes.Buffer
		s := stage{Options: Options{Duration: time.Second, NoLock: tt.noLock, Out: &out}}
		r := contest.Snapshot{Elapsed: time.Second, Increments: tt.done, Value: tt.done, PerWorker: []int64{tt.done}}
		if err := s.writeVerdict(r); err != nil || !strings.HasSuffix(out.String(), tt.want+"\n") {
			t.Errorf("%v:\n%s", err, &out)
		}
	}
}
