package engine

import (
	"context"
	"errors"
	"time"

	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// none is the result of a request that has none.
type none = struct{}

// request sends a request that may be repeated, until it is answered. It gives
// up when ctx ends, or when no answer came for so long that the session cannot
// be alive any more.
func request[T any](ctx context.Context, e *Engine, t *Ticket, send func(context.Context) (T, error)) (T, error) {
	giveUp := e.clk.Now().Add(e.patience())
	for {
		sent := e.clk.Now()
		v, err := once(ctx, e, send)
		if err == nil || answered(err) {
			t.contact = sent
			return v, err
		}
		if ctx.Err() != nil || over(err) || !e.clk.Now().Before(giveUp) {
			return v, err
		}
		if err := e.clk.Sleep(ctx, retryPause); err != nil {
			return v, err
		}
	}
}

// once bounds one request.
func once[T any](ctx context.Context, e *Engine, send func(context.Context) (T, error)) (T, error) {
	ctx, cancel := e.clk.WithTimeout(ctx, e.requestTimeout())
	defer cancel()
	return send(ctx)
}

// answered reports whether err is what the server said.
func answered(err error) bool {
	return errors.Is(err, zkconn.ErrNoNode) || errors.Is(err, zkconn.ErrNodeExists) ||
		errors.Is(err, zkconn.ErrNotEmpty) || errors.Is(err, zkconn.ErrRefused)
}

// over reports whether err says that another try is of no use.
func over(err error) bool {
	return errors.Is(err, zkconn.ErrClosed) || errors.Is(err, zkconn.ErrSessionExpired)
}

// requestTimeout leaves time for another request before the session ends.
func (e *Engine) requestTimeout() time.Duration {
	if s := e.conn.Session(); s.Timeout > 0 {
		return min(e.cfg.RequestTimeout, s.Timeout/3)
	}
	return e.cfg.RequestTimeout
}

// patience is how long a session lives without contact.
func (e *Engine) patience() time.Duration {
	if s := e.conn.Session(); s.Timeout > 0 {
		return s.Timeout
	}
	return e.cfg.RequestTimeout
}

func (e *Engine) children(ctx context.Context, t *Ticket) ([]string, error) {
	return request(ctx, e, t, func(ctx context.Context) ([]string, error) {
		return e.conn.Children(ctx, t.parent)
	})
}

func (e *Engine) get(ctx context.Context, t *Ticket, p string) (zkconn.Node, error) {
	return request(ctx, e, t, func(ctx context.Context) (zkconn.Node, error) {
		return e.conn.Get(ctx, p)
	})
}

func (e *Engine) set(ctx context.Context, t *Ticket, data string) error {
	_, err := request(ctx, e, t, func(ctx context.Context) (none, error) {
		return none{}, e.conn.Set(ctx, t.path(), []byte(data))
	})
	return err
}

func (e *Engine) delete(ctx context.Context, t *Ticket, p string) error {
	_, err := request(ctx, e, t, func(ctx context.Context) (none, error) {
		return none{}, e.conn.Delete(ctx, p)
	})
	return err
}

func (e *Engine) createPersistent(ctx context.Context, t *Ticket, p string) error {
	_, err := request(ctx, e, t, func(ctx context.Context) (zkconn.Node, error) {
		return e.conn.Create(ctx, p, zkconn.Persistent)
	})
	return err
}
