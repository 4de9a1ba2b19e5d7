package engine

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// resubscribePause keeps a waiter whose subscription fails again and again from
// spinning. Every failure also makes it look at the lock, so this is its
// polling interval until the connection is back.
const resubscribePause = time.Second

// waiter listens to the channel of one lock on behalf of one Acquire. It takes
// a connection of its own, which is closed with it.
type waiter struct {
	pubsub *redis.PubSub
	news   clock.Signal
	stop   clock.Event
	joined clock.Event
	cancel context.CancelFunc
}

// listen subscribes. A failure to do so is not an error of the Acquire: it
// shows at the first Receive, and the waiter falls back to looking by itself.
// A silent engine has nothing to listen to.
func (e *Engine) listen(ctx context.Context, c Claim) *waiter {
	if e.rdb == nil {
		return &waiter{news: e.clk.NewSignal()}
	}
	ctx, done := e.clk.WithTimeout(ctx, c.Timeout)
	defer done()
	w := &waiter{
		pubsub: e.rdb.Subscribe(ctx, c.Listen),
		news:   e.clk.NewSignal(), stop: e.clk.NewEvent(), joined: e.clk.NewEvent(),
	}
	receiving, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	e.clk.Go(func() {
		defer w.joined.Set()
		w.receive(receiving)
	})
	return w
}

// receive turns whatever arrives into a notification: a message, since the lock
// was released; the confirmation of a subscription, the first as well as one
// after a reconnect, and an error, since a message may have been missed. A lost
// connection has often been replaced when its error arrives, so it takes a
// second error to wait.
func (w *waiter) receive(ctx context.Context) {
	failed := false
	for !w.stop.IsSet() {
		_, err := w.pubsub.Receive(ctx)
		w.news.Notify()
		if err != nil && failed {
			_ = w.stop.Wait(ctx, resubscribePause)
		}
		failed = err != nil
	}
}

// wait returns nil when it is time to look again, or the error of ctx.
func (w *waiter) wait(ctx context.Context, limit time.Duration) error {
	if err := w.news.Wait(ctx, limit); !errors.Is(err, clock.ErrTimeout) {
		return err
	}
	return nil
}

// close ends the subscription and waits for its goroutine. The context goes
// first: a reconnect under way would hold up the Close.
func (w *waiter) close() {
	if w.pubsub == nil {
		return
	}
	w.stop.Set()
	w.cancel()
	_ = w.pubsub.Close() // nothing depends on how a connection ends that is given up
	_ = w.joined.Wait(context.Background(), clock.NoLimit)
}
