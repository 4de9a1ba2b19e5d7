package engine

import (
	"context"
	"errors"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// retryPause is the time between two looks where the first one led to nothing:
// it failed, or the index went backwards.
const retryPause = 100 * time.Millisecond

// await returns the free places as soon as there are any. An attempt that does
// not wait looks once.
//
// An outage of up to one TTL is waited out, because looking does no harm and a
// change of the leader is such an outage.
func (x *call) await(ctx context.Context) ([]Place, error) {
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
			index = x.target.Follow(since, index)
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
	return errors.Is(err, lock.ErrInvalid) || errors.Is(err, ErrRejected) || x.parent.Err() != nil || x.isClosed()
}

func (x *call) look(ctx context.Context, since uint64) ([]Place, uint64, error) {
	q := Lookup{Owner: x.owner, Since: since, Wait: x.cfg.Wait}
	limit := x.cfg.requestTimeout(x.cfg.TTL)
	if since > 0 {
		// The server adds up to a sixteenth to the time that it waits.
		limit += q.Wait + q.Wait/16
	}
	ctx, cancel := x.clk.WithTimeout(ctx, limit)
	defer cancel()
	return x.target.Look(ctx, x.backend, q)
}
