package antipattern

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// IgnoreKeepAlive is WRONG: it sends keep-alives and does not care what becomes
// of them, as code does that throws away the channel of clientv3's KeepAlive.
// When they no longer arrive, or etcd answers that the lease is gone, the holder
// goes on working beside its successor. Instead: count a deadline from the last
// keep-alive that was answered, and stop by then.
//
// It implements lock.Locker. Its leases end by their release only.
type IgnoreKeepAlive struct{ *HerdWatch }

// NewIgnoreKeepAlive makes one; the arguments are those of etcdlock.NewOnStore.
func NewIgnoreKeepAlive(store etcdlock.Store, cfg etcdlock.Config) (*IgnoreKeepAlive, error) {
	l, err := NewHerdWatch(store, cfg)
	if err != nil {
		return nil, err
	}
	l.grant = (*session).grantUnheard
	return &IgnoreKeepAlive{l}, nil
}

// grantUnheard replaces the watchdog by one that listens to nothing.
func (s *session) grantUnheard(key string, revision int64) lock.Lease {
	s.dog.Stop()
	grant := lock.NewGrant(s.clk, s.info(key, revision))
	s.dog = lock.StartWatchdog(s.clk, grant, lock.Renewal{
		Every: s.cfg.TTL / 3, Timeout: s.cfg.RequestTimeout, Renew: s.keepAliveUnheard,
	})
	return &lease{Grant: grant, release: s.compareAndDelete(grant, key, revision)}
}

// keepAliveUnheard makes the mistake.
func (s *session) keepAliveUnheard(ctx context.Context) (time.Time, error) {
	_, _ = s.store.KeepAlive(ctx, s.id)
	return time.Time{}, nil
}
