//go:build unix

package holdertest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/internal/holdertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func init() {
	holdertest.RunIfHolder(func(_ context.Context, args []string) (lock.Locker, error) {
		token, err := strconv.Atoi(args[0])
		return brief{lock.Token(token)}, err
	})
}

// brief grants every lock for a moment, with the same token. The owner is the
// number of the process.
type brief struct{ token lock.Token }

func (b brief) Acquire(_ context.Context, key string, _ ...lock.Option) (lock.Lease, error) {
	return briefLease{lock.NewGrant(clock.Real(), lock.GrantInfo{
		Key: key, Owner: fmt.Sprint(syscall.Getpid()), Token: b.token, HasToken: b.token > 0,
		Deadline: time.Now().Add(time.Millisecond),
	})}, nil
}

func (b brief) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return b.Acquire(ctx, key, opts...)
}

type briefLease struct{ *lock.Grant }

func (briefLease) Release(context.Context) error { return lock.ErrNotHeld }

func TestAHolderWritesAndThenReportsOnItsLease(t *testing.T) {
	for name, answer := range map[string]error{"accepted": nil, "refused": &fencing.StaleError{}} {
		t.Run(name, func(t *testing.T) {
			h := holdertest.Start(t, "k", "7")
			h.Stop()
			var got lock.Token
			o := h.GoOn(func(token lock.Token) error { got = token; return answer })
			if got != 7 || h.Grant.Token != 7 {
				t.Errorf("granted token %d, wrote with %d; want 7", h.Grant.Token, got)
			}
			want := holdertest.Outcome{
				Refused: answer != nil, Ended: lock.ErrLost.Error(), Lost: true,
				Release: lock.ErrNotHeld.Error(), NotHeld: true,
			}
			if o != want {
				t.Errorf("the outcome is %+v, want %+v", o, want)
			}
		})
	}
}

func TestAHolderWithoutATokenWritesNothing(t *testing.T) {
	o := holdertest.Start(t, "k", "0").GoOn(nil)
	if !o.Lost || o.Refused {
		t.Errorf("the outcome is %+v, want a lost lease", o)
	}
}

func TestAHolderEndsWithItsTest(t *testing.T) {
	for name, strike := range map[string]func(*holdertest.Holder){
		"running": func(*holdertest.Holder) {},
		"stopped": (*holdertest.Holder).Stop,
		"killed":  (*holdertest.Holder).Kill,
	} {
		var pid int
		t.Run(name, func(t *testing.T) {
			h := holdertest.Start(t, "k", "1")
			pid, _ = strconv.Atoi(h.Grant.Owner) // it is 0 unless it is a number
			strike(h)
		})
		if err := syscall.Kill(pid, 0); pid == 0 || !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: signal to process %d after its test = %v, want that there is none", name, pid, err)
		}
	}
}
