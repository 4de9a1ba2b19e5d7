package redislock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// ErrReplicas: a grant did not reach as many replicas as were asked for, and was
// taken back.
var ErrReplicas = errors.New("too few replicas have the grant")

// PipelineClient is a [Client] that can send commands one after the other on one
// connection, which WAIT needs. *redis.Client is one.
type PipelineClient interface {
	Client
	Pipelined(ctx context.Context, fn func(redis.Pipeliner) error) ([]redis.Cmder, error)
}

// Replicated is a [Mutex] on a primary with replicas whose grants count only when
// a number of the replicas have them: it sends WAIT along with the grant. It
// implements lock.Locker, and its leases implement lock.Renewer.
//
// This makes it less likely that a failover loses the lock, not impossible: WAIT
// does not keep a replica without the grant from being promoted, and it says
// nothing about renewals (https://redis.io/docs/latest/commands/wait/).
type Replicated struct{ locker }

// NewReplicated makes a mutex whose grants must reach the given number of
// replicas, at least one, within half of Config.RequestTimeout; otherwise they
// are taken back, and the error is [ErrReplicas]. With Config.Fencing an attempt
// that another holder refuses can have this error as well. It sends nothing. A
// setting that cannot work is lock.ErrInvalid.
func NewReplicated(rdb PipelineClient, replicas int, cfg Config) (*Replicated, error) {
	if replicas < 1 {
		return nil, fmt.Errorf("redislock: %w: %d replicas, there must be at least one", lock.ErrInvalid, replicas)
	}
	if rdb == nil {
		return nil, fmt.Errorf("redislock: %w: no Redis client", lock.ErrInvalid)
	}
	waiting := waitClient{PipelineClient: rdb, replicas: replicas, clk: clock.Or(cfg.Clock)}
	p := replicated{
		Protocol: mutex.Protocol{Conn: engine.NewConn(rdb, cfg.Clock), Fencing: cfg.Fencing},
		granting: mutex.Protocol{Conn: engine.NewConn(waiting, cfg.Clock), Fencing: cfg.Fencing},
	}
	l, err := newLocker(rdb, p, cfg)
	if err != nil {
		return nil, err
	}
	return &Replicated{l}, nil
}

// replicated implements engine.Protocol. Only its grants wait for replicas.
type replicated struct {
	mutex.Protocol
	granting mutex.Protocol
}

// Grant implements engine.Protocol.
func (p replicated) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	return p.granting.Grant(ctx, c)
}

// waitClient sends WAIT behind every command.
type waitClient struct {
	PipelineClient
	replicas int
	clk      clock.Clock
}

// Process implements Client.
func (w waitClient) Process(ctx context.Context, cmd redis.Cmder) error {
	var reached *redis.Cmd
	_, _ = w.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		_ = p.Process(ctx, cmd)
		reached = p.Do(ctx, "WAIT", w.replicas, w.patience(ctx).Milliseconds())
		return nil
	})
	if err := cmd.Err(); err != nil {
		return err
	}
	n, err := reached.Int64()
	switch {
	case err != nil:
		// It does not unwrap to the error: a refusal of WAIT is none of the
		// grant, which has to be taken back.
		cmd.SetErr(fmt.Errorf("%w: WAIT: %v", ErrReplicas, err))
	case n < int64(w.replicas):
		cmd.SetErr(fmt.Errorf("%w: %d of %d", ErrReplicas, n, w.replicas))
	}
	return cmd.Err()
}

// patience is half of the time that the request has.
func (w waitClient) patience(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Second
	}
	return max(deadline.Sub(w.clk.Now())/2, time.Millisecond)
}
