// Package lua holds the scripts of all locks on Redis, one file each, and runs
// them. What does not belong here: the decision which script to run when.
package lua

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
)

// ErrRefused is the answer of a script to a request that it will never grant.
var ErrRefused = fmt.Errorf("%w: the server refuses it for good", lock.ErrInvalid)

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

// RunPair runs a script that answers with two numbers.
func (s *Script) RunPair(
	ctx context.Context, conn engine.Conn, c engine.Claim, keys []string, args ...any,
) (first, second int64, err error) {
	answer, err := s.Run(ctx, conn, c, keys, args...).Int64Slice()
	if err != nil {
		return 0, 0, err
	}
	if len(answer) != 2 {
		return 0, 0, fmt.Errorf("%s answered %d values instead of 2", s.Name, len(answer))
	}
	return answer[0], answer[1], nil
}

// RunGrant runs a script that answers {1, token} or {0, milliseconds}. If the
// claim is numbered, the token counter is added to the keys and the outcome has
// the token.
func (s *Script) RunGrant(
	ctx context.Context, conn engine.Conn, c engine.Claim, numbered bool, keys []string, args ...any,
) (engine.Outcome, error) {
	if numbered {
		keys = append(keys, c.TokenKey)
	}
	granted, value, err := s.RunPair(ctx, conn, c, keys, args...)
	switch {
	case err != nil:
		return engine.Outcome{}, err
	case granted == 0:
		return engine.Outcome{PTTL: value}, nil
	case granted < 0:
		return engine.Outcome{}, ErrRefused
	case numbered:
		return engine.Outcome{Granted: true, Token: lock.Token(value), HasToken: true}, nil
	}
	return engine.Outcome{Granted: true}, nil
}

func call(command, script string, keys []string, args []any) []any {
	all := make([]any, 0, 3+len(keys)+len(args))
	all = append(all, command, script, len(keys))
	for _, k := range keys {
		all = append(all, k)
	}
	return append(all, args...)
}
