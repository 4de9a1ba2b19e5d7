package clock

import (
	"context"
	"sync"
	"time"
)

// Real returns the clock of the machine: package time, goroutines and channels.
// It works unchanged inside a testing/synctest bubble.
func Real() Clock { return realClock{} }

// Or returns c, or the real clock when c is nil. Constructors use it to give
// their optional clock its default.
func Or(c Clock) Clock {
	if c == nil {
		return Real()
	}
	return c
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if err := waitFor(ctx, nil, d); err != ErrTimeout {
		return err
	}
	return nil
}

func (realClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

func (realClock) Go(f func()) { go f() }

func (realClock) NewSignal() Signal { return realSignal{c: make(chan struct{}, 1)} }

func (realClock) NewEvent() Event { return &realEvent{c: make(chan struct{})} }

func (realClock) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(parent, d)
}

type realSignal struct{ c chan struct{} }

func (s realSignal) Notify() {
	select {
	case s.c <- struct{}{}:
	default: // one notification is pending already
	}
}

func (s realSignal) Wait(ctx context.Context, limit time.Duration) error {
	return waitFor(ctx, s.c, limit)
}

type realEvent struct {
	once sync.Once
	c    chan struct{}
}

func (e *realEvent) Set() { e.once.Do(func() { close(e.c) }) }

func (e *realEvent) IsSet() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

func (e *realEvent) Done() <-chan struct{} { return e.c }

func (e *realEvent) Wait(ctx context.Context, limit time.Duration) error {
	return waitFor(ctx, e.c, limit)
}

// waitFor waits for c, the limit and the context together. What has already
// happened wins over a limit or a context that has also run out, so that a
// notification is never dropped in favour of an error.
func waitFor(ctx context.Context, c <-chan struct{}, limit time.Duration) error {
	select {
	case <-c:
		return nil
	default:
	}
	var expired <-chan time.Time
	if limit >= 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-c:
		return nil
	case <-expired:
		return ErrTimeout
	case <-ctx.Done():
		return ctx.Err()
	}
}
