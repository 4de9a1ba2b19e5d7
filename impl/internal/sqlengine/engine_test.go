package sqlengine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBackoffDoublesUpToItsBoundAndIsSpread(t *testing.T) {
	for name, c := range map[string]struct {
		rand float64
		want []time.Duration
	}{
		"lower end": {0, []time.Duration{5, 10, 20, 40, 50, 50}},
		"middle":    {0.5, []time.Duration{7, 15, 30, 60, 75, 75}},
	} {
		t.Run(name, func(t *testing.T) {
			b := Backoff{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond, Rand: func() float64 { return c.rand }}
			for i, want := range c.want {
				if got := b.Next(); got.Truncate(time.Millisecond) != want*time.Millisecond {
					t.Errorf("pause %d is %v, want %v ms", i, got, int64(want))
				}
			}
		})
	}
}

func TestRetryStopsAtSuccessAtItsTriesAndAtOtherErrors(t *testing.T) {
	errPassing, errFinal := errors.New("passing"), errors.New("final")
	for name, c := range map[string]struct {
		outcomes []error
		want     error
		requests int
	}{
		"at once":        {[]error{nil}, nil, 1},
		"after two":      {[]error{errPassing, errPassing, nil}, nil, 3},
		"tries used up":  {[]error{errPassing, errPassing, errPassing, nil}, errPassing, 3},
		"other error":    {[]error{errPassing, errFinal, nil}, errFinal, 2},
		"error at first": {[]error{errFinal, nil}, errFinal, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				_, err := Retry(t.Context(), clock.Real(), &Backoff{Min: 1, Max: 1, Rand: func() float64 { return 0 }}, 3,
					func(err error) bool { return errors.Is(err, errPassing) },
					func(context.Context) (int, error) { n++; return n, c.outcomes[n-1] })
				if !errors.Is(err, c.want) || n != c.requests {
					t.Errorf("%v after %d requests, want %v after %d", err, n, c.want, c.requests)
				}
			})
		})
	}
}

// table is a lock in memory, whose requests a test can watch.
type table struct {
	mu     sync.Mutex
	owner  string
	asked  int
	onAsk  func(n int)
	answer error
}

func (p *table) Grant(_ context.Context, c Claim) (lock.Token, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	granted := p.owner == "" && p.answer == nil
	if granted {
		p.owner = c.Owner
	}
	if p.onAsk != nil {
		p.onAsk(p.asked)
	}
	return lock.Token(p.asked), granted, p.answer
}

func (p *table) Renew(context.Context, Claim) (bool, error) { return false, nil }

// free lets the lock go without telling the engine.
func (p *table) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owner = ""
}

func (p *table) Release(_ context.Context, c Claim) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owner != c.Owner {
		return false, nil
	}
	p.owner = ""
	return true, nil
}

func engine(t *testing.T, p Protocol) *Engine {
	t.Helper()
	e, err := New(p, Config{
		Name: "test", Dialect: dialect.SQLite(), NoRenew: true, TTL: 10 * time.Hour,
		PollMin: time.Hour, PollMax: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAReleaseBetweenTheRefusalAndThePauseIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &table{owner: "somebody"}
		e := engine(t, p)
		p.onAsk = func(n int) {
			if n == 1 { // the refusal is on its way
				p.owner = ""
				e.Wake("x")
			}
		}
		start := time.Now()
		lease, err := e.Acquire(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v", waited)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAWaiterThatFailsPassesTheNewsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &table{owner: "somebody"}
		e := engine(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := e.Acquire(ctx, "x")
			first <- err
		}()
		synctest.Wait()
		go func() {
			_, err := e.Acquire(t.Context(), "x")
			second <- err
		}()
		synctest.Wait()
		start := time.Now()
		p.free()
		e.Wake("x") // the first in the queue may get this, and gives up
		cancel()
		<-first
		if err := <-second; err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the second waiter waited %v", waited)
		}
	})
}

func TestNothingIsLeftOfWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, &table{owner: "somebody"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { _, _ = e.Acquire(ctx, "x") })
		}
		all.Wait()
		if n := len(e.waiting.byKey); n != 0 {
			t.Errorf("%d queues left", n)
		}
	})
}

func TestAnUnknownErrorEndsTheWaitingAndIsPartOfTheResult(t *testing.T) {
	errBroken := errors.New("broken")
	_, err := engine(t, &table{answer: errBroken}).Acquire(t.Context(), "x")
	if !errors.Is(err, errBroken) || !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
		t.Errorf("Acquire = %v; want it not acquired, for that reason, and known to be so", err)
	}
}
