package engine

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Conn sends the requests of a protocol.
type Conn struct {
	rdb Client
	clk clock.Clock
}

// NewConn makes a Conn. A nil clock means the real one.
func NewConn(rdb Client, clk clock.Clock) Conn { return Conn{rdb: rdb, clk: clock.Or(clk)} }

// Do sends one command on behalf of a claim and waits for the answer, no longer
// than the claim's Timeout whatever ctx allows. It sends it at most once,
// whatever MaxRetries of the client says.
func (c Conn) Do(ctx context.Context, claim Claim, args ...any) *redis.Cmd {
	ctx, cancel := c.clk.WithTimeout(ctx, claim.Timeout)
	defer cancel()
	cmd := once{redis.NewCmd(ctx, args...)}
	_ = c.rdb.Process(ctx, cmd) // the error is also that of cmd
	return cmd.Cmd
}

// once is a command that go-redis must not send again by itself. A repeated
// request to grant a lock is refused because of the first one, if only its
// answer was lost; the attempt would then seem to have failed and leave the
// lock taken.
type once struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (once) NoRetry() bool { return true }
