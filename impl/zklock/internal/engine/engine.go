package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Engine grants locks through one ZooKeeper client. The function fields are the
// places where an antipattern differs; New sets them to what is right.
type Engine struct {
	// Path is the element of the path for a key.
	Path func(key string) string
	// Node is the node that a ticket stands for, to be created.
	Node func(t *Ticket) (path string, mode zkconn.Mode)
	// Own is the name of the node that the server has for a ticket whose create was
	// not answered, or empty.
	Own func(ctx context.Context, t *Ticket) (name string, err error)
	// Queue takes a place and returns when it is the ticket's turn.
	Queue func(ctx context.Context, t *Ticket, patient bool) error
	// InOrder sorts a queue, first come first.
	InOrder func(ctx context.Context, t *Ticket, q []Entry) ([]Entry, error)
	// Find looks for the node of a create that was not answered, and reports
	// whether there is one.
	Find func(ctx context.Context, t *Ticket) (bool, error)
	// Await returns when it is the ticket's turn; a caller that is not patient
	// gets an error instead of waiting.
	Await func(ctx context.Context, t *Ticket, patient bool) error
	// Keep looks after a hold until it ends and returns what stops that.
	Keep func(h *Hold) (stop func())

	conn zkconn.Conn
	cfg  Config
	clk  clock.Clock

	tasks      *tasks
	stopEvents func()

	mu      sync.Mutex
	closed  bool
	live    map[*Hold]struct{}       // every hold that has not ended
	owned   map[ownerKey]*Hold       // those that can be re-entered, and those to come
	waiting map[*Ticket]clock.Signal // what to notify when the engine is closed
}

// New checks cfg and fills in its defaults. The error is lock.ErrInvalid.
func New(conn zkconn.Conn, cfg Config) (*Engine, error) {
	if conn == nil {
		return nil, fmt.Errorf("zklock: %w: no ZooKeeper client", lock.ErrInvalid)
	}
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, fmt.Errorf("zklock: %w", err)
	}
	e := &Engine{
		conn: conn, cfg: cfg, clk: cfg.Clock, tasks: newTasks(cfg.Clock), Path: Escape,
		live:    make(map[*Hold]struct{}),
		owned:   make(map[ownerKey]*Hold),
		waiting: make(map[*Ticket]clock.Signal),
	}
	e.Node, e.Own, e.Queue = node, e.own, e.queue
	e.InOrder, e.Find, e.Await, e.Keep = e.inOrder, e.find, e.await, e.keep
	e.stopEvents = conn.OnSessionEnd(e.sessionEnded)
	return e, nil
}

// Ask is what a kind of lock wants of the engine.
type Ask struct {
	Kind Kind
	Turn Turn
	// Reentrant allows lock.WithOwner.
	Reentrant bool
}

// Acquire waits for the lock named key.
func (e *Engine) Acquire(ctx context.Context, a Ask, key string, opts []lock.Option) (lock.Lease, error) {
	return e.run(ctx, a, key, opts, true)
}

// TryAcquire makes one attempt.
func (e *Engine) TryAcquire(ctx context.Context, a Ask, key string, opts []lock.Option) (lock.Lease, error) {
	return e.run(ctx, a, key, opts, false)
}

func (e *Engine) run(ctx context.Context, a Ask, key string, opts []lock.Option, patient bool) (lock.Lease, error) {
	t, err := e.newTicket(a, key, lock.NewRequest(opts...))
	if err != nil {
		return nil, fmt.Errorf("zklock: acquire %q: %w", key, err)
	}
	var l *Lease
	if t.owner == "" {
		l, err = e.enter(ctx, t, e.newHold(t), patient)
	} else {
		l, err = e.reenter(ctx, t, patient)
	}
	if err != nil {
		return nil, fmt.Errorf("zklock: acquire %q: %w", key, err)
	}
	return l, nil
}

// enter takes a place in the queue and waits for its turn. h is the hold to
// come.
func (e *Engine) enter(ctx context.Context, t *Ticket, h *Hold, patient bool) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, notAcquired(err)
	}
	err := e.Queue(ctx, t, patient)
	if err == nil {
		err = e.passOn(ctx, t)
	}
	if err == nil {
		err = ctx.Err() // nobody waits for the grant any more
	}
	if err != nil {
		return nil, e.abandon(ctx, t, err)
	}
	t.began = e.clk.Now()
	return h.begin()
}

// abandon gives up an attempt and its place in the queue. ctx may be the reason
// and must not stop that.
func (e *Engine) abandon(ctx context.Context, t *Ticket, cause error) error {
	gone := e.discard(t)
	if gone.Wait(context.WithoutCancel(ctx), e.requestTimeout()) != nil {
		return fmt.Errorf("%w; %w: its place in the queue is not yet removed", notAcquired(cause), lock.ErrUnknownOutcome)
	}
	return notAcquired(cause)
}

func notAcquired(cause error) error { return fmt.Errorf("%w: %w", lock.ErrNotAcquired, cause) }

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}
