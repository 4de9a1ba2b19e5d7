package antipattern_test

import (
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
)

func TestAPollingWaiterComesLateAndAsksOften(t *testing.T) {
	const held, poll = 1030 * time.Millisecond, 100 * time.Millisecond
	for name, c := range map[string]struct {
		construct maker
		late      time.Duration
		most      int // SETs, at most
	}{
		"Polling": {as(antipattern.NewPolling), 70 * time.Millisecond, 12},
		"Mutex":   {mutex, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				lease := acquire(t, w.lock(mutex, redislock.Config{NoRenew: true}, nil))
				sets := 0
				count := func(name string, send func() error) error {
					if name == "set" {
						sets++
					}
					return send()
				}
				cfg := redislock.Config{NoRenew: true}
				if name == "Polling" {
					cfg.Poll = poll
				}
				waiter := w.lock(c.construct, cfg, count)
				begin, granted := time.Now(), make(chan lock.Lease)
				go func() { granted <- acquire(t, waiter) }()
				pass(held)
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
				next := <-granted
				if late := time.Since(begin) - held; late != c.late {
					t.Errorf("the lock lay idle for %v, want %v", late, c.late)
				}
				if sets > c.most || name == "Polling" && sets != c.most {
					t.Errorf("%d requests, want %d", sets, c.most)
				}
				_ = next.Release(t.Context())
			})
		})
	}
}
