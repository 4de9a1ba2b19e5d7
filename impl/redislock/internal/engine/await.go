package engine

import (
	"context"
	"time"
)

// Await looks until it is done. When the first look was in vain it listens on
// the claim's channel before it looks again: a change between the two is then
// either seen by the second look or heard. From then on it waits for whatever
// comes first, a notification or the time that patience tells.
//
// A patience of zero means at once, a negative one that the time is not known.
// An error is that of look, of patience or of ctx.
func (e *Engine) Await(
	ctx context.Context, c Claim,
	look func() (done bool, err error), patience func() (time.Duration, error),
) error {
	if done, err := look(); done || err != nil {
		return err
	}
	w := e.listen(ctx, c)
	defer w.close()
	limit, err := e.firstWait(c, patience)
	for err == nil {
		if err := w.wait(ctx, limit); err != nil {
			return err
		}
		if done, err := look(); done || err != nil {
			return err
		}
		limit, err = e.nextWait(patience)
	}
	return err
}

// firstWait ends with the first notification, which is the confirmation of the
// subscription. Should it not come, waiting goes on without one.
func (e *Engine) firstWait(c Claim, patience func() (time.Duration, error)) (time.Duration, error) {
	if e.rdb == nil {
		return e.nextWait(patience)
	}
	return c.Timeout, nil
}

func (e *Engine) nextWait(patience func() (time.Duration, error)) (time.Duration, error) {
	again, err := patience()
	return e.atMostPoll(again), err
}

// atMostPoll bounds a time to wait, which is negative when it is not known.
func (e *Engine) atMostPoll(again time.Duration) time.Duration {
	if again < 0 {
		return e.cfg.Poll
	}
	return min(again, e.cfg.Poll)
}
