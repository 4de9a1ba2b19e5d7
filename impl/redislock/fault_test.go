package redislock_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

var errLost = errors.New("i/o timeout")

// loseAnswer carries a request out and then loses its answer.
func loseAnswer(name string) func(context.Context, string, func() error) error {
	return func(_ context.Context, sent string, send func() error) error {
		err := send()
		if sent == name {
			return errLost
		}
		return err
	}
}

func TestAGrantWhoseAnswerWasLostIsTakenBack(t *testing.T) {
	for request, fencing := range map[string]bool{"SET": false, "acquire.lua": true} {
		t.Run(request, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *store) {
				m, w := s.mutex(redislock.Config{TTL: long, Fencing: fencing})
				w.fail(loseAnswer(request))
				_, err := m.Acquire(t.Context(), key)
				if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, errLost) {
					t.Errorf("Acquire = %v, want ErrNotAcquired and the cause", err)
				}
				if errors.Is(err, lock.ErrUnknownOutcome) {
					t.Errorf("Acquire = %v, though the clean-up succeeded", err)
				}
				if s.owner(key) != "" {
					t.Errorf("left behind: %q", s.owner(key))
				}
				if n := w.count("renew.lua"); n != 0 {
					t.Errorf("%d renewals of a lock that nobody holds", n)
				}
			})
		})
	}
}

// go-redis would send the SET again on a fresh connection, be refused because
// of the first one, and the lock would stay taken.
func TestAnAttemptIsNotRepeatedByTheClient(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		o := s.options()
		o.MaxRetries = 3
		cut := &answerCutter{dial: o.Dialer, command: "SET"}
		o.Dialer = cut.dialer
		rdb := redis.NewClient(o)
		defer rdb.Close()
		m, err := redislock.New(rdb, redislock.Config{TTL: long})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Acquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, io.EOF) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and the cause", err)
		}
		if n := cut.sent.Load(); n != 1 {
			t.Errorf("SET was sent %d times, want once", n)
		}
		if s.owner(key) != "" {
			t.Errorf("left behind: %q", s.owner(key))
		}
	})
}

func TestAReleaseWhoseAnswerIsCutOff(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		o := s.options()
		cut := &answerCutter{dial: o.Dialer, command: "EVALSHA"}
		o.Dialer = cut.dialer
		rdb := redis.NewClient(o)
		defer rdb.Close()
		m, err := redislock.New(rdb, redislock.Config{TTL: long})
		if err != nil {
			t.Fatal(err)
		}
		lease := acquire(t, m)
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrUnknownOutcome) || !errors.Is(err, io.EOF) {
			t.Errorf("Release = %v, want ErrUnknownOutcome and the cause", err)
		}
		if n := cut.sent.Load(); n != 1 {
			t.Errorf("the release was sent %d times, want once", n)
		}
		if s.owner(key) != "" || !errors.Is(lease.Err(), lock.ErrReleased) {
			t.Errorf("the key holds %q, the lease says %v", s.owner(key), lease.Err())
		}
	})
}

func TestAClosedClientIsAClearError(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		rdb, _ := s.client()
		m, err := redislock.New(rdb, redislock.Config{TTL: long})
		if err != nil {
			t.Fatal(err)
		}
		lease := acquire(t, m)
		_ = rdb.Close()
		if err := lease.Release(t.Context()); !errors.Is(err, redis.ErrClosed) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("Release = %v, want redis.ErrClosed and no doubt that nothing was sent", err)
		}
		_, err = m.Acquire(t.Context(), key)
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, redis.ErrClosed) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and redis.ErrClosed", err)
		}
	})
}

// answerCutter ends a connection instead of handing on the answer to a command.
type answerCutter struct {
	dial    func(ctx context.Context, network, addr string) (net.Conn, error) // nil means net.Dial
	command string
	sent    atomic.Int64
}

func (a *answerCutter) dialer(ctx context.Context, network, addr string) (net.Conn, error) {
	dial := a.dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, network, addr)
	return &cutConn{Conn: conn, cutter: a}, err
}

type cutConn struct {
	net.Conn
	cutter *answerCutter
	cut    atomic.Bool
}

func (c *cutConn) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "\r\n"+c.cutter.command+"\r\n") {
		c.cutter.sent.Add(1)
		c.cut.Store(true)
	}
	return c.Conn.Write(p)
}

func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.cut.Load() {
		return 0, io.EOF
	}
	return n, err
}

func TestAFailedCleanUpIsReported(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long})
		w.fail(func(_ context.Context, name string, send func() error) error {
			if name == "SET" {
				_ = send()
			}
			return errLost
		})
		_, err := m.Acquire(t.Context(), key)
		for _, want := range []error{lock.ErrNotAcquired, lock.ErrUnknownOutcome, errLost} {
			if !errors.Is(err, want) {
				t.Errorf("Acquire = %v, want it to be %v", err, want)
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error has more than one line: %q", err)
		}
		if s.pttl(key) <= 0 {
			t.Errorf("what was left behind has PTTL %v, so it never ends", s.pttl(key))
		}
	})
}

func TestAContextCancelledBeforeTheAnswerLeavesNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long})
		ctx, cancel := context.WithCancel(t.Context())
		w.fail(func(_ context.Context, name string, send func() error) error {
			err := send()
			if name == "SET" {
				cancel()
			}
			return err
		})
		_, err := m.Acquire(ctx, key)
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and context.Canceled", err)
		}
		if s.owner(key) != "" {
			t.Errorf("left behind: %q", s.owner(key))
		}
	})
}

func TestAFailedReleaseIsReportedAndEndsTheRenewal(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		lease := acquire(t, m)
		w.fail(func(_ context.Context, name string, send func() error) error {
			if name == "release.lua" {
				return errLost
			}
			return send()
		})
		err := lease.Release(t.Context())
		if !errors.Is(err, errLost) || !errors.Is(err, lock.ErrUnknownOutcome) || errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want the cause and ErrUnknownOutcome", err)
		}
		select {
		case <-lease.Done():
		default:
			t.Error("the lease goes on after its Release")
		}
		w.forget()
		s.admin.PExpire(t.Context(), key, short)
		eventually(t, "the lock is free for want of renewal", func() bool { return s.owner(key) == "" })
		if n := w.count("renew.lua"); n != 0 {
			t.Errorf("%d renewals after the failed release", n)
		}
	})
}

func TestAFailedReleaseCanBeRepeated(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, m)
		w.fail(func(context.Context, string, func() error) error { return errLost })
		if err := lease.Release(t.Context()); !errors.Is(err, errLost) {
			t.Fatalf("Release = %v, want the cause", err)
		}
		w.fail(nil)
		if err := lease.Release(t.Context()); err != nil || s.owner(key) != "" {
			t.Errorf("second Release = %v, the key holds %q", err, s.owner(key))
		}
	})
}

// The answer of a release is lost, the same client locks again, and the release
// is retried: the newer lock survives.
func TestARetriedReleaseSparesTheNewerLock(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long})
		old := acquire(t, m)
		w.fail(loseAnswer("release.lua"))
		if err := old.Release(t.Context()); !errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("Release = %v, want ErrUnknownOutcome", err)
		}
		w.fail(nil)
		newer := acquire(t, m)
		if err := old.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("retried Release = %v, want ErrNotHeld", err)
		}
		if s.owner(key) != newer.Owner() {
			t.Errorf("the key holds %q, want the newer %q", s.owner(key), newer.Owner())
		}
		release(t, newer)
	})
}

func TestReleaseWhileARenewalIsUnderWay(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		stuck := make(chan struct{})
		var once sync.Once
		w.fail(func(ctx context.Context, name string, send func() error) error {
			if name != "renew.lua" {
				return send()
			}
			once.Do(func() { close(stuck) })
			<-ctx.Done()
			return ctx.Err()
		})
		lease := acquire(t, m)
		<-stuck
		release(t, lease)
		if s.owner(key) != "" {
			t.Errorf("the key holds %q", s.owner(key))
		}
	})
}

// A process that stops between sending the request and reading the answer may
// wake when the lease is over already. Such a grant is not handed out.
func TestAnAnswerThatComesAfterTheLeaseIsNoGrant(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: short})
		pauses := 1
		w.fail(func(_ context.Context, name string, send func() error) error {
			err := send()
			if name == "SET" && pauses > 0 {
				pauses--
				<-time.After(2 * short)
			}
			return err
		})
		if _, err := m.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("TryAcquire = %v, want ErrNotAcquired", err)
		}
		pauses = 1
		lease := acquire(t, m)
		if lease.Err() != nil || s.owner(key) != lease.Owner() {
			t.Errorf("a waiting Acquire returned a lease that says %v, the key holds %q", lease.Err(), s.owner(key))
		}
		release(t, lease)
	})
}
