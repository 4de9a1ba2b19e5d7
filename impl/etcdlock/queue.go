package etcdlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// errNoPlace is for a waiter whose key has gone: its lease has expired, or
// somebody deleted it. It is out of the queue, whoever leaves it.
var errNoPlace = fmt.Errorf("%w: the key in the queue is gone", lock.ErrSessionExpired)

// queue enters the queue and waits for its head.
func (c *claim) queue(ctx context.Context) error {
	ahead, err := c.enter(ctx)
	for err == nil && ahead != nil {
		c.queued = true
		ahead, err = c.outlast(ctx, *ahead)
	}
	return err
}

// try takes the lock if the queue is empty.
func (c *claim) try(ctx context.Context) error {
	prefix := queuePrefix(c.name)
	res, err := c.create(ctx, Txn{
		If:   []Compare{{Key: prefix, Prefix: true}},
		Then: []Op{Put(c.key, c.owner, c.s.id)},
		Else: []Op{Get(c.key), Newest(prefix, 1, 0)},
	})
	switch {
	case err != nil:
		return err
	case res.Succeeded:
		c.s.entered(c, res.Revision)
		return nil
	case len(res.Read[0]) > 0: // an attempt without an answer had succeeded
		c.s.entered(c, res.Read[0][0].CreateRevision)
		return nil
	case isEntry(prefix, res.Read[1][0]):
		c.tracked = false
		return errBusy
	}
	// A key that is no entry stands in the way, so the queue has to be read.
	ahead, err := c.enter(ctx)
	if err == nil && ahead != nil {
		return errBusy
	}
	return err
}

// enter puts the claim's key into the queue and returns the entry before it, nil
// if there is none: the whole of an uncontended acquisition, in one request.
func (c *claim) enter(ctx context.Context) (ahead *KV, err error) {
	res, err := c.create(ctx, Txn{
		If:   []Compare{{Key: c.key, CreateRevision: 0}},
		Then: []Op{Put(c.key, c.owner, c.s.id), Newest(queuePrefix(c.name), 2, 0)},
		Else: []Op{Get(c.key)},
	})
	if err != nil {
		return nil, err
	}
	if !res.Succeeded { // an attempt without an answer had succeeded
		c.s.entered(c, res.Read[0][0].CreateRevision)
		return c.look(ctx)
	}
	c.s.entered(c, res.Revision)
	if ahead, sure := c.before(res.Read[1], 2); sure {
		return ahead, nil
	}
	return c.look(ctx)
}

// create sends a transaction that puts the claim's key.
func (c *claim) create(ctx context.Context, txn Txn) (Result, error) {
	c.tracked = true
	res, first, err := c.txn(ctx, txn)
	if !first {
		c.s.retire() // the attempt without an answer may arrive late
	}
	switch {
	case errors.Is(err, ErrLeaseNotFound):
		c.s.expire()
		return res, errStale
	case errors.Is(err, ErrRefused):
		c.tracked = !first
	}
	return res, err
}

// outlast waits until the entry ahead is gone, and returns the one that is ahead
// then. Where no watch is to be had it returns after a pause.
func (c *claim) outlast(ctx context.Context, ahead KV) (*KV, error) {
	now, err := c.watchOut(ctx, ahead)
	if errors.Is(err, ErrWatchLost) {
		if err := c.rest(ctx); err != nil {
			return nil, err
		}
		now, err = c.look(ctx)
	}
	if err != nil && !answered(err) && !errors.Is(err, errNoPlace) {
		// The place is kept for as long as the session lives.
		return &ahead, c.rest(ctx)
	}
	return now, err
}

// watchOut is outlast while nothing fails. The watch comes first and the second
// look after it, so a key that goes between a look and the watch is not waited
// for.
func (c *claim) watchOut(ctx context.Context, ahead KV) (*KV, error) {
	watch, err := c.watch(ctx, ahead.Key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWatchLost, err)
	}
	defer watch.Close()
	now, err := c.look(ctx)
	if err != nil || now == nil || *now != ahead {
		return now, err
	}
	if err := watch.WaitDeleted(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWatchLost, err)
	}
	return c.look(ctx)
}

// watch opens a watch within the time of one request.
func (c *claim) watch(ctx context.Context, key string) (Watch, error) {
	ctx, cancel := context.WithCancel(ctx)
	limit := c.clk.AfterFunc(c.timeout, cancel)
	watch, err := c.store.Watch(ctx, key)
	if !limit.Stop() && err == nil {
		watch.Close()
		err = ErrWatchLost
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return boundWatch{Watch: watch, cancel: cancel}, nil
}

// boundWatch ends the context of a watch with it.
type boundWatch struct {
	Watch
	cancel context.CancelFunc
}

// Close implements [Watch].
func (w boundWatch) Close() {
	w.Watch.Close()
	w.cancel()
}

// rest waits a little before something that failed is tried again.
func (c *claim) rest(ctx context.Context) error { return c.clk.Sleep(ctx, retryPause) }

// look finds the entry before the claim's own, nil if it is at the head. It
// fails with [lock.ErrSessionExpired] if the claim's own is gone: then the
// absence of others does not mean that the lock is ours.
func (c *claim) look(ctx context.Context) (*KV, error) {
	for limit := 2; ; limit = 0 {
		res, _, err := c.txn(ctx, Txn{Then: []Op{Newest(queuePrefix(c.name), limit, c.revision)}})
		if err != nil {
			return nil, err
		}
		seen := res.Read[0]
		if len(seen) == 0 || seen[0].Key != c.key {
			return nil, errNoPlace
		}
		if ahead, sure := c.before(seen, limit); sure {
			return ahead, nil
		}
	}
}

// before picks the entry ahead from keys that begin with the claim's own. It is
// not sure if all of the few keys that were read were no entries.
func (c *claim) before(seen []KV, limit int) (ahead *KV, sure bool) {
	for _, kv := range seen[1:] {
		if isEntry(queuePrefix(c.name), kv) {
			return &kv, true
		}
	}
	return nil, limit == 0 || len(seen) < limit
}

// fix ends the renewal of a claim that is granted for a fixed time, and returns
// when that time began. A claim that had to wait gets a full lease first.
func (c *claim) fix(ctx context.Context) (start time.Time, err error) {
	c.s.dog.Stop()
	if !c.queued {
		return c.s.born, nil
	}
	return c.s.prolong(ctx)
}
