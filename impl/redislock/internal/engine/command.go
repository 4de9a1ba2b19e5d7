package engine

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// once is a command that go-redis must not send again by itself. A repeated
// request to grant a lock is refused because of the first one, if only its
// answer was lost; the attempt would then seem to have failed and leave the
// lock taken.
type once struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (once) NoRetry() bool { return true }

// Do sends one command, at most once whatever MaxRetries of the client says.
func Do(ctx context.Context, rdb Client, args ...any) *redis.Cmd {
	cmd := once{redis.NewCmd(ctx, args...)}
	_ = rdb.Process(ctx, cmd) // the error is also that of cmd
	return cmd.Cmd
}
