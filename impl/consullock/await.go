package consullock

import (
	"context"
	"errors"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// retryPause is the time between two looks where the first one led to nothing:
// it failed, or the index went backwards.
const retryPause = 100 * time.Millisecond

// target is what an attempt is after: one key, or one of several.
type target interface {
	// flags mark the keys of this kind of lock.
	flags() uint64

	// guess is where to try without having looked; nil means look first.
	guess() []place

	// look returns the places that are free, as soon as the index of the
	// answer exceeds since or wait has passed, with the index to go on from.
	// The owner serves to spread the attempts over several places.
	look(ctx context.Context, b backend, q lookup) ([]place, uint64, error)
}

// lookup says how long to look and on whose behalf.
type lookup struct {
	owner string
	since uint64
	wait  time.Duration
}

// await returns the free places as soon as there are any. An attempt that does
// not wait looks once.
//
// An outage of up to one TTL is waited out, because looking does no harm and a
// change of the leader is such an outage.
func (x *call) await(ctx context.Context) ([]place, error) {
	var since uint64
	lastSeen := x.clk.Now()
	for {
		places, index, err := x.look(ctx, since)
		now := x.clk.Now()
		switch {
		case len(places) > 0:
			return places, nil
		case err == nil && !x.waits:
			return nil, errors.New("somebody else holds it")
		case err != nil && (!x.waits || x.isFinal(err) || now.Sub(lastSeen) > x.cfg.TTL):
			return nil, err
		case err == nil:
			lastSeen = now
			index = follow(since, index)
		}
		if since = index; since == 0 {
			if err := x.clk.Sleep(ctx, retryPause); err != nil {
				return nil, err
			}
		}
	}
}

// isFinal reports whether looking again is no use.
func (x *call) isFinal(err error) bool {
	return errors.Is(err, lock.ErrInvalid) || errors.Is(err, errRejected) || x.parent.Err() != nil || x.isClosed()
}

func (x *call) look(ctx context.Context, since uint64) ([]place, uint64, error) {
	q := lookup{owner: x.owner, since: since, wait: x.cfg.Wait}
	limit := x.cfg.requestTimeout(x.cfg.TTL)
	if since > 0 {
		// The server adds up to a sixteenth to the time that it waits.
		limit += q.wait + q.wait/16
	}
	ctx, cancel := x.clk.WithTimeout(ctx, limit)
	defer cancel()
	return x.target.look(ctx, x.backend, q)
}

// follow returns the index to wait on after an answer with the index got to a
// query with the index since. An index that goes backwards, as it does when the
// servers are restored from a backup, means to begin again: waiting on the old
// one would miss every change until the new ones have caught up. An index of 0,
// which servers have returned by mistake, would not wait at all.
//
// See "Blocking Queries" in Consul's API documentation.
func follow(since, got uint64) uint64 {
	if got < since {
		return 0
	}
	return max(got, 1)
}
