package antipattern

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// WatchPast is WRONG in what it costs, not in what it grants: refused, it opens a
// watch from the revision after the refusal. No event escapes that, so it need
// not look again; but where the event has already been, etcd serves it from a
// loop that runs every 100 ms. Instead: open the watch from now, then look again.
//
// It implements lock.Locker.
type WatchPast struct{ *HerdWatch }

// PastStore is a store whose watches can begin in the past. The one that
// etcdlock.NewStore makes is one.
type PastStore interface {
	etcdlock.Store
	// WatchFrom is Watch for what has happened from a revision on.
	WatchFrom(ctx context.Context, key string, revision int64) (etcdlock.Watch, error)
}

// NewWatchPast makes one; the arguments are those of etcdlock.NewOnStore. A store
// that is no [PastStore] is lock.ErrInvalid.
func NewWatchPast(store etcdlock.Store, cfg etcdlock.Config) (*WatchPast, error) {
	past, ok := store.(PastStore)
	if !ok {
		return nil, fmt.Errorf("antipattern: %w: the watches of %T begin now", lock.ErrInvalid, store)
	}
	l, err := NewHerdWatch(store, cfg)
	if err != nil {
		return nil, err
	}
	l.wait = func(_ *session, ctx context.Context, key string, refused int64) error {
		return outlastFrom(ctx, past, key, refused+1)
	}
	return &WatchPast{l}, nil
}

// outlastFrom waits until the key has been deleted at revision or later.
func outlastFrom(ctx context.Context, store PastStore, key string, revision int64) error {
	watch, err := store.WatchFrom(ctx, key, revision)
	if err != nil {
		return err
	}
	defer watch.Close()
	return watch.WaitDeleted(ctx)
}
