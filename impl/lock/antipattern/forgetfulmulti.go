package antipattern

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// ForgetfulMulti is WRONG: when a member is refused, or ctx ends while it is
// waited for, the error is returned and the members that were granted before are
// forgotten. Nobody has a lease with which to release them, and their watchdogs
// keep them for as long as the process lives. Instead: give back what was got,
// on a context that has not ended, as lock.Multi does.
//
// It implements lock.Locker.
type ForgetfulMulti struct {
	clk     clock.Clock
	members []lock.Member
}

// NewForgetfulMulti makes one; the arguments are those of lock.NewMulti.
func NewForgetfulMulti(clk clock.Clock, members ...lock.Member) (*ForgetfulMulti, error) {
	if _, err := lock.NewMulti(clk, members...); err != nil {
		return nil, err
	}
	return &ForgetfulMulti{clk: clk, members: members}, nil
}

// Acquire implements lock.Locker.
func (m *ForgetfulMulti) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.all(ctx, key, func(l lock.Locker, key string) (lock.Lease, error) { return l.Acquire(ctx, key, opts...) })
}

// TryAcquire implements lock.Locker.
func (m *ForgetfulMulti) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.all(ctx, key, func(l lock.Locker, key string) (lock.Lease, error) { return l.TryAcquire(ctx, key, opts...) })
}

func (m *ForgetfulMulti) all(
	ctx context.Context, key string, ask func(lock.Locker, string) (lock.Lease, error),
) (lock.Lease, error) {
	var got []lock.Member
	for i, member := range m.members {
		name := key
		if member.Name != nil {
			name = member.Name(key)
		}
		lease, err := ask(member.Locker, name)
		if err != nil {
			return nil, fmt.Errorf("multi lock: acquire %q: member %d: %w", key, i+1, err) // the mistake
		}
		got = append(got, lock.Member{Locker: granted{lease}})
	}
	whole, err := lock.NewMulti(m.clk, got...)
	if err != nil {
		return nil, err
	}
	return whole.Acquire(ctx, key)
}

// granted is a lock that has been granted already.
type granted struct{ lease lock.Lease }

// Acquire implements lock.Locker.
func (g granted) Acquire(context.Context, string, ...lock.Option) (lock.Lease, error) {
	return g.lease, nil
}

// TryAcquire implements lock.Locker.
func (g granted) TryAcquire(context.Context, string, ...lock.Option) (lock.Lease, error) {
	return g.lease, nil
}
