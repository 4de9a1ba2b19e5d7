package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// WatchGap is WRONG: refused, it opens a watch from now on and waits, without
// looking again. If the key goes between the refusal and the watch, the event
// that it waits for has already been, and it waits for ever for a lock that is
// free. Instead: open the watch, then look again, then wait.
//
// It implements lock.Locker.
type WatchGap struct{ *HerdWatch }

// NewWatchGap makes one; the arguments are those of etcdlock.NewOnStore.
func NewWatchGap(store etcdlock.Store, cfg etcdlock.Config) (*WatchGap, error) {
	l, err := NewHerdWatch(store, cfg)
	if err != nil {
		return nil, err
	}
	l.wait = (*session).waitUnseen
	return &WatchGap{l}, nil
}

// waitUnseen makes the mistake.
func (s *session) waitUnseen(ctx context.Context, key string, _ int64) error {
	watch, err := s.store.Watch(ctx, key)
	if err != nil {
		return err
	}
	defer watch.Close()
	return watch.WaitDeleted(ctx)
}
