//go:build unix

package holdertest

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	// successorTTL is that of a lease which shall not end during a test.
	successorTTL = time.Hour
	// lateness is how long after the end of a dead holder's lease the next one
	// may get in. A waiter comes back at that end or within a second of it; the
	// rest is for a slow machine.
	lateness = 5 * time.Second
)

// Backend is a lock with leases, in a backend that more than one process can
// reach.
type Backend struct {
	// Key names a lock that nobody holds.
	Key string
	// Args make a holder whose lease lasts for TTL and is renewed.
	Args []string
	TTL  time.Duration
	// Next is the same lock in this process.
	Next lock.Locker
	// Look tells what stands in the backend.
	Look func(t testing.TB) Standing
	// Write writes to a resource that refuses old tokens.
	Write func(value int64, token lock.Token) error
}

// Standing is a lease as it stands in the backend: whose it is, and when it ends
// by the backend's own clock.
type Standing struct {
	Owner string
	Ends  time.Time
}

// KilledHolder shows that a holder in another process keeps the lock for longer
// than a TTL while it lives, and that the lock passes to a waiter when the lease
// ends that the holder had when it was killed: not before, and not much later.
// All times are the backend's.
func (b Backend) KilledHolder(t *testing.T) {
	h := Start(t, b.Key, b.Args...)
	next := b.acquire(t)
	last := b.renewed(t, h)
	h.Kill()
	if s := b.Look(t); s.Owner == h.Grant.Owner { // otherwise the lease is over already
		last = s.Ends
	}
	got := <-next
	if got.err != nil {
		t.Fatalf("Acquire = %v", got.err)
	}
	s := b.Look(t)
	if s.Owner != got.lease.Owner() {
		t.Fatalf("the lock is %q's, want the successor's, %q", s.Owner, got.lease.Owner())
	}
	granted := s.Ends.Add(-successorTTL)
	if wait := granted.Sub(last); wait < 0 || wait > lateness {
		t.Errorf("granted %v after the end of the dead holder's lease, want 0 to %v", wait, lateness)
	}
	if token, _ := got.lease.Token(); token <= h.Grant.Token {
		t.Errorf("token %d after %d", token, h.Grant.Token)
	}
	b.release(t, got.lease)
}

// StoppedHolder shows that a holder which is stopped for longer than its lease
// is succeeded, and that nothing it does when it wakes has an effect: its write
// is refused, its lease is lost, and its release leaves its successor alone.
func (b Backend) StoppedHolder(t *testing.T) {
	h := Start(t, b.Key, b.Args...)
	h.Stop()
	got := <-b.acquire(t)
	if got.err != nil {
		t.Fatalf("Acquire = %v", got.err)
	}
	token, _ := got.lease.Token()
	if err := b.Write(2, token); err != nil {
		t.Fatalf("write of the successor = %v", err)
	}
	o := h.GoOn(func(token lock.Token) error { return b.Write(1, token) })
	if !o.Refused {
		t.Errorf("the write with token %d was accepted after one with %d", h.Grant.Token, token)
	}
	if !o.Lost || !o.NotHeld {
		t.Errorf("the stopped holder finds that its lease says %q and its release %q, want lost and not held", o.Ended, o.Release)
	}
	if s := b.Look(t); s.Owner != got.lease.Owner() || got.lease.Err() != nil {
		t.Errorf("the lock is %q's, and the successor %q says %v", s.Owner, got.lease.Owner(), got.lease.Err())
	}
	b.release(t, got.lease)
}

// renewed waits until the holder has prolonged its lease by a TTL, and returns
// when it ends.
func (b Backend) renewed(t *testing.T, h *Holder) time.Time {
	t.Helper()
	first := b.heldBy(t, h)
	look, limit := time.NewTicker(5*time.Millisecond), time.NewTimer(patience)
	defer look.Stop()
	defer limit.Stop()
	for {
		last := b.heldBy(t, h)
		if !last.Before(first.Add(b.TTL)) {
			return last
		}
		select {
		case <-look.C:
		case <-limit.C:
			t.Fatalf("the lease is not renewed: it ends at %v, at first it was %v", last, first)
		}
	}
}

// heldBy returns when the holder's lease ends, and fails if it is another's.
func (b Backend) heldBy(t *testing.T, h *Holder) time.Time {
	t.Helper()
	s := b.Look(t)
	if s.Owner != h.Grant.Owner {
		t.Fatalf("the lock is %q's, while %q lives and renews it", s.Owner, h.Grant.Owner)
	}
	return s.Ends
}

// acquisition is what an Acquire has come to.
type acquisition struct {
	lease lock.Lease
	err   error
}

// acquire waits for the lock in the background. The lease is not renewed, so
// that what stands in the backend tells when it was granted.
func (b Backend) acquire(t *testing.T) <-chan acquisition {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	result, over := make(chan acquisition, 1), make(chan struct{})
	t.Cleanup(func() { cancel(); <-over })
	go func() {
		defer close(over)
		lease, err := b.Next.Acquire(ctx, b.Key, lock.WithFixedLease(successorTTL))
		result <- acquisition{lease, err}
	}()
	return result
}

func (b Backend) release(t *testing.T, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("Release of the successor = %v", err)
	}
}
