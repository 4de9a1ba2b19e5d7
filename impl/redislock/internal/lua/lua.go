// Package lua holds the scripts of all locks on Redis, one file each, and runs
// them. What does not belong here: the decision which script to run when.
package lua

import (
	"context"
	_ "embed"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
)

var (
	//go:embed acquire.lua
	acquire string
	//go:embed release.lua
	release string
	//go:embed renew.lua
	renew string
)

// The scripts. Each file says what its keys, arguments and answers are.
var (
	Acquire = newScript("acquire.lua", acquire)
	Release = newScript("release.lua", release)
	Renew   = newScript("renew.lua", renew)
)

// All returns every script, in the order of their names.
func All() []*Script { return []*Script{Acquire, Release, Renew} }

// Script is one file. It is immutable.
type Script struct {
	// Name is the name of the file.
	Name string
	// Source is its content.
	Source string
	// SHA is the hexadecimal digest by which EVALSHA names it.
	SHA string
}

func newScript(name, source string) *Script {
	return &Script{Name: name, Source: source, SHA: redis.NewScript(source).Hash()}
}

// Run runs the script by its digest, and by its source when the server does not
// know the digest: it has then run nothing, so the second request is no retry.
func (s *Script) Run(ctx context.Context, conn engine.Conn, c engine.Claim, keys []string, args ...any) *redis.Cmd {
	cmd := conn.Do(ctx, c, call("EVALSHA", s.SHA, keys, args)...)
	if errors.Is(cmd.Err(), redis.ErrNoScript) || redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		return conn.Do(ctx, c, call("EVAL", s.Source, keys, args)...)
	}
	return cmd
}

func call(command, script string, keys []string, args []any) []any {
	all := make([]any, 0, 3+len(keys)+len(args))
	all = append(all, command, script, len(keys))
	for _, k := range keys {
		all = append(all, k)
	}
	return append(all, args...)
}
