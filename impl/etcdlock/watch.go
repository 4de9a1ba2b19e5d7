package etcdlock

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// clientWatch adapts the client's channel of watch events to [Watch].
type clientWatch struct {
	events clientv3.WatchChan
	cancel context.CancelFunc
}

func (c *client) Watch(ctx context.Context, key string) (Watch, error) {
	return c.WatchFrom(ctx, key, 0)
}

// WatchFrom is Watch for what has happened from a revision on; 0 means from now
// on. No lock here uses it: see [Store.Watch] for the price.
func (c *client) WatchFrom(ctx context.Context, key string, revision int64) (Watch, error) {
	ctx, cancel := context.WithCancel(ctx)
	// A member without a leader must say so: its watch would stay silent.
	events := c.watcher.Watch(clientv3.WithRequireLeader(ctx), key,
		clientv3.WithRev(revision), clientv3.WithCreatedNotify(), clientv3.WithFilterPut())
	w := &clientWatch{events: events, cancel: cancel}
	if _, err := w.next(ctx); err != nil {
		cancel()
		return nil, err
	}
	return w, nil
}

func (w *clientWatch) WaitDeleted(ctx context.Context) error {
	for {
		// Puts are filtered out, so an event is the deletion; a reply
		// without events is a sign of life.
		reply, err := w.next(ctx)
		if err != nil || len(reply.Events) > 0 {
			return err
		}
	}
}

func (w *clientWatch) Close() { w.cancel() }

func (w *clientWatch) next(ctx context.Context) (clientv3.WatchResponse, error) {
	select { //lockstep:bare-wait the etcd client delivers watch events on a channel only
	case reply, open := <-w.events:
		switch {
		case ctx.Err() != nil:
			return reply, ctx.Err()
		case !open:
			return reply, ErrWatchLost
		case reply.Err() != nil:
			return reply, fmt.Errorf("%w: %w", ErrWatchLost, reply.Err())
		}
		return reply, nil
	case <-ctx.Done():
		return clientv3.WatchResponse{}, ctx.Err()
	}
}
