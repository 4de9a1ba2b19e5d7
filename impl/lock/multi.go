package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Member is one of the locks of a [Multi].
type Member struct {
	Locker Locker
	// Name gives the key of this member for the key of the whole. Nil means
	// the same one.
	Name func(key string) string
}

// Multi makes one lock of several, on one backend or on many: it is granted all
// of them or none. It implements [Locker].
//
// The members are asked in their order, so two Multis that share members must
// have those in the same order, or each of them can wait for what the other has.
// What has been granted is renewed while the next one is waited for.
type Multi struct {
	clk     clock.Clock
	members []Member
}

// NewMulti makes a Multi of at least one member, or the error is [ErrInvalid].
// A nil clock means the real one.
func NewMulti(clk clock.Clock, members ...Member) (*Multi, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("multi lock: %w: it has no members", ErrInvalid)
	}
	for i, m := range members {
		if m.Locker == nil {
			return nil, fmt.Errorf("multi lock: %w: member %d has no Locker", ErrInvalid, i+1)
		}
	}
	return &Multi{clk: clock.Or(clk), members: members}, nil
}

// Acquire implements [Locker]. The options go to every member.
func (m *Multi) Acquire(ctx context.Context, key string, opts ...Option) (Lease, error) {
	return m.all(ctx, key, func(l Locker, key string) (Lease, error) { return l.Acquire(ctx, key, opts...) })
}

// TryAcquire implements [Locker]. Every member is asked once.
func (m *Multi) TryAcquire(ctx context.Context, key string, opts ...Option) (Lease, error) {
	return m.all(ctx, key, func(l Locker, key string) (Lease, error) { return l.TryAcquire(ctx, key, opts...) })
}

func (m *Multi) all(ctx context.Context, key string, ask func(Locker, string) (Lease, error)) (Lease, error) {
	var got []Lease
	for i, member := range m.members {
		lease, err := ask(member.Locker, member.key(key))
		if err != nil {
			return nil, m.giveBack(ctx, key, got, fmt.Errorf("member %d: %w", i+1, err))
		}
		got = append(got, lease)
	}
	l := newMultiLease(m.clk, key, got)
	if err := l.Err(); err != nil {
		return nil, m.giveBack(ctx, key, got, fmt.Errorf("%w: a member ended before the last was granted: %w", ErrNotAcquired, err))
	}
	return l, nil
}

func (m Member) key(whole string) string {
	if m.Name == nil {
		return whole
	}
	return m.Name(whole)
}

// giveBack releases what an attempt has got. That a lease had ended by itself
// is no failure to do so.
func (m *Multi) giveBack(ctx context.Context, key string, got []Lease, cause error) error {
	err := releaseAll(context.WithoutCancel(ctx), got, ErrNotHeld)
	if err != nil {
		cause = fmt.Errorf("%w; clean-up failed: %w", cause, err)
	}
	return fmt.Errorf("multi lock: acquire %q: %w", key, cause)
}

// releaseAll releases every lease, whatever becomes of the others, the last one
// first. It returns all errors but the given kind in one line.
func releaseAll(ctx context.Context, leases []Lease, but error) (err error) {
	for i := len(leases) - 1; i >= 0; i-- {
		e := leases[i].Release(ctx)
		switch {
		case e == nil || but != nil && errors.Is(e, but):
		case err == nil:
			err = e
		default:
			err = fmt.Errorf("%w; %w", err, e)
		}
	}
	return err
}

// multiLease lasts as long as all of its members.
type multiLease struct {
	*Grant
	members []Lease
}

func newMultiLease(clk clock.Clock, key string, members []Lease) *multiLease {
	l := &multiLease{
		// The members have the deadlines; what they end with ends the whole.
		Grant:   NewGrant(clk, GrantInfo{Key: key, Owner: members[0].Owner()}),
		members: members,
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.OnEnd(cancel)
	for _, m := range members {
		onEnd(ctx, m, func() { l.End(m.Err()) })
	}
	return l
}

// Deadline implements [Lease]: it is that of the member that ends first.
func (l *multiLease) Deadline() (first time.Time) {
	for _, m := range l.members {
		if d := m.Deadline(); !d.IsZero() && (first.IsZero() || d.Before(first)) {
			first = d
		}
	}
	return first
}

// Release implements [Lease]. Every member is released, whatever becomes of the
// others.
func (l *multiLease) Release(ctx context.Context) error {
	lost := !l.End(ErrReleased)
	err := releaseAll(ctx, l.members, nil)
	if lost && !errors.Is(err, ErrNotHeld) {
		err = alsoNotHeld(err)
	}
	if err != nil {
		return fmt.Errorf("multi lock: release %q: %w", l.Key(), err)
	}
	return nil
}

// alsoNotHeld adds [ErrNotHeld] to the error of a release, which may be nil.
func alsoNotHeld(err error) error {
	if err == nil {
		return ErrNotHeld
	}
	return fmt.Errorf("%w; %w", ErrNotHeld, err)
}
