package redislock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// A expires, B acquires, A releases: B keeps the lock and A is told.
func TestAnExpiredHolderCannotFreeItsSuccessor(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: short, NoRenew: true})
		b, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, a)
		successor := acquire(t, b)
		<-lease.Done()
		if !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("A's lease says %v, want ErrLost", lease.Err())
		}
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release of the expired lease = %v, want ErrNotHeld", err)
		}
		if s.owner(key) != successor.Owner() {
			t.Errorf("the key holds %q, want B's %q", s.owner(key), successor.Owner())
		}
		release(t, successor)
	})
}

func TestAFixedLeaseIsNotRenewed(t *testing.T) {
	for name, how := range map[string]struct {
		cfg  redislock.Config
		opts []lock.Option
	}{
		"by configuration": {cfg: redislock.Config{TTL: short, NoRenew: true}},
		"by option":        {cfg: redislock.Config{TTL: long}, opts: []lock.Option{lock.WithFixedLease(short)}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *store) {
				m, w := s.mutex(how.cfg)
				before := time.Now()
				lease := acquire(t, m, how.opts...)
				<-lease.Done()
				if held := time.Since(before); held < short || !errors.Is(lease.Err(), lock.ErrLost) {
					t.Errorf("Done after %v with %v, want after %v with ErrLost", held, lease.Err(), short)
				}
				eventually(t, "the key expires", func() bool { return s.owner(key) == "" })
				if n := w.count("renew.lua"); n != 0 {
					t.Errorf("%d renewals of a fixed lease", n)
				}
			})
		})
	}
}

// The lease ends on the holder's side no later than on the server's, because it
// is counted from before the request was sent.
func TestTheLocalDeadlineIsNotAfterTheServers(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long, NoRenew: true})
		lease := acquire(t, m)
		server := s.pttl(key)
		if local := time.Until(lease.Deadline()); local > server+time.Millisecond {
			t.Errorf("the holder counts on %v more, the server gives %v", local, server)
		}
		release(t, lease)
	})
}

func TestTheWatchdogKeepsTheLockUntilTheRelease(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		lease := acquire(t, m)
		for range 3 {
			s.admin.PExpire(t.Context(), key, long/2)
			eventually(t, "a full TTL again", func() bool { return s.pttl(key) > long/2 })
		}
		if lease.Err() != nil || s.owner(key) != lease.Owner() {
			t.Errorf("lease ended with %v, the key holds %q", lease.Err(), s.owner(key))
		}
		release(t, lease)
	})
}

// A release at any time, even right after the grant, is the last request: a
// renewal is never armed afterwards.
func TestNoRenewalFollowsARelease(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		for range 20 {
			release(t, acquire(t, m))
		}
		// The same client goes on, so its next lease would see an orphan.
		next := acquire(t, m)
		w.forget()
		eventually(t, "renewals of the next lease", func() bool { return w.count("renew.lua") >= 3 })
		release(t, next)
		log := w.requests()
		if last := log[len(log)-1]; last != "release.lua" {
			t.Errorf("the last request is %s, want release.lua", last)
		}
	})
}

func TestALockTakenAgainAtOnceIsRenewed(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		release(t, acquire(t, m))
		lease := acquire(t, m)
		eventually(t, "four renewals of the second lease", func() bool { return w.count("renew.lua") >= 4 })
		if lease.Err() != nil || s.owner(key) != lease.Owner() {
			t.Errorf("lease ended with %v, the key holds %q", lease.Err(), s.owner(key))
		}
		release(t, lease)
	})
}

func TestAPassingRenewalErrorIsRetried(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		lease := acquire(t, m)
		failures := 2
		w.fail(func(_ context.Context, name string, send func() error) error {
			if name == "renew.lua" && failures > 0 {
				failures--
				return errors.New("connection reset")
			}
			return send()
		})
		eventually(t, "renewals after the failed ones", func() bool { return w.count("renew.lua") >= 5 })
		if lease.Err() != nil || s.owner(key) != lease.Owner() {
			t.Errorf("lease ended with %v, the key holds %q", lease.Err(), s.owner(key))
		}
		release(t, lease)
	})
}

func TestRenewalThatFailsToTheDeadlineIsALoss(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: 4 * short, RenewEvery: often})
		before := time.Now()
		lease := acquire(t, m)
		w.fail(func(_ context.Context, name string, send func() error) error {
			if name == "renew.lua" {
				return errors.New("connection reset")
			}
			return send()
		})
		<-lease.Done()
		if held := time.Since(before); held < 4*short || !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("Done after %v with %v, want at the deadline of %v with ErrLost", held, lease.Err(), 4*short)
		}
		if n := w.count("renew.lua"); n < 2 {
			t.Errorf("%d attempts to renew, want several", n)
		}
	})
}

func TestALockThatIsGoneIsFoundOutByTheWatchdog(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		lease := acquire(t, m)
		s.admin.Set(t.Context(), key, "somebody else", long)
		<-lease.Done()
		if !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("Err = %v, want ErrLost", lease.Err())
		}
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want ErrNotHeld", err)
		}
		if s.owner(key) != "somebody else" {
			t.Errorf("the key holds %q", s.owner(key))
		}
	})
}

func TestRenewByHand(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, NoRenew: true})
		lease := acquire(t, m)
		granted := lease.Deadline()
		s.admin.PExpire(t.Context(), key, long/2)
		if err := lease.(lock.Renewer).Renew(t.Context()); err != nil {
			t.Fatalf("Renew = %v", err)
		}
		if !lease.Deadline().After(granted) && s.pttl(key) <= long/2 {
			t.Errorf("deadline %v after %v, PTTL %v", lease.Deadline(), granted, s.pttl(key))
		}
		release(t, lease)
		w.forget()
		if err := lease.(lock.Renewer).Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Renew after the release = %v, want ErrNotHeld", err)
		}
		if got := w.requests(); len(got) != 0 {
			t.Errorf("Renew after the release sent %v", got)
		}
	})
}

func TestRenewByAnOldHolderLeavesTheSuccessorAlone(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, w := s.mutex(redislock.Config{TTL: short, NoRenew: true})
		b, _ := s.mutex(redislock.Config{TTL: long, NoRenew: true})
		old := acquire(t, a)
		successor := acquire(t, b)
		s.admin.PExpire(t.Context(), key, long/2)
		w.forget()
		if err := old.(lock.Renewer).Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Renew of the old lease = %v, want ErrNotHeld", err)
		}
		if w.count("renew.lua") != 1 {
			t.Errorf("requests = %v, want the server asked", w.requests())
		}
		if ttl := s.pttl(key); ttl > long/2 {
			t.Errorf("PTTL = %v, was lengthened", ttl)
		}
		if err := successor.(lock.Renewer).Renew(t.Context()); err != nil {
			t.Errorf("Renew of the successor = %v", err)
		}
		if ttl := s.pttl(key); ttl <= long/2 {
			t.Errorf("PTTL = %v after the successor's renewal, want about %v", ttl, long)
		}
		release(t, successor)
	})
}

// The server's clock may end a lease later than the holder's. A renewal in
// between succeeds there, for a lease that is over here: it is given back.
func TestAnEndedLeaseIsNotRevived(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: short, NoRenew: true})
		lease := acquire(t, m)
		s.admin.Persist(t.Context(), key)
		<-lease.Done()
		if err := lease.(lock.Renewer).Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Renew = %v, want ErrNotHeld", err)
		}
		if s.owner(key) != "" {
			t.Errorf("the key still holds %q", s.owner(key))
		}
	})
}

func TestReleaseAfterTheDeadlineStillCleansUp(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: short, NoRenew: true})
		lease := acquire(t, m)
		s.admin.Persist(t.Context(), key) // the server sees the end later
		<-lease.Done()
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want ErrNotHeld", err)
		}
		if s.owner(key) != "" {
			t.Errorf("the key still holds %q", s.owner(key))
		}
	})
}
