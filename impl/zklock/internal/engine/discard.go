package engine

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// maxPause bounds the pause between two tries in the background.
const maxPause = time.Second

// discard removes whatever the ticket has in the queue, in the background, and
// sets the event when nothing is left. A node that stayed would block everybody
// for as long as the session lives, so this does not give up before the session
// does.
func (e *Engine) discard(t *Ticket) (gone clock.Event) {
	return e.insist(t, func(ctx context.Context) error { return e.sweep(ctx, t) })
}

// sweep makes one attempt.
func (e *Engine) sweep(ctx context.Context, t *Ticket) error {
	if !t.doubt {
		return nil // no node was made
	}
	if t.name != "" {
		return e.conn.Delete(ctx, t.path())
	}
	name, err := e.Own(ctx, t)
	if err != nil || name == "" {
		return err
	}
	return e.conn.Delete(ctx, t.Sibling(name))
}

// insist repeats a request until the server has answered it, whatever it says,
// or the ticket's session, the client or the engine is over. It begins when the ticket's
// node has been made or has not.
func (e *Engine) insist(t *Ticket, send func(context.Context) error) (done clock.Event) {
	done = e.clk.NewEvent()
	e.tasks.run(func() {
		defer done.Set()
		ctx := context.Background()
		_ = t.settled.Wait(ctx, clock.NoLimit)
		pause := retryPause
		for !e.outlived(t) {
			last := e.isClosed()
			_, err := once(ctx, e, func(ctx context.Context) (none, error) { return none{}, send(ctx) })
			if err == nil || answered(err) || over(err) || last {
				return
			}
			_ = e.clk.Sleep(ctx, pause)
			pause = min(2*pause, maxPause)
		}
	})
	return done
}

// outlived reports whether the ticket's session has been replaced by another
// one, and all its nodes are gone. Without a session it may yet come back.
func (e *Engine) outlived(t *Ticket) bool {
	now := e.conn.Session().ID
	return now != 0 && t.session.ID != 0 && now != t.session.ID
}
