package redislock

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

// Script is a Lua script that a lock runs on the server.
type Script struct {
	// Name is the name of its file, such as "release.lua".
	Name string
	// SHA is the hexadecimal digest by which EVALSHA names it.
	SHA string
	// Source is its text.
	Source string
}

// Scripts returns all scripts of this package, sorted by name. It serves those
// who read what a server was sent, where a script shows as its digest.
func Scripts() []Script {
	all := lua.All()
	list := make([]Script, len(all))
	for i, s := range all {
		list[i] = Script{Name: s.Name, SHA: s.SHA, Source: s.Source}
	}
	return list
}

// Load puts all scripts into the server's cache. Without it the first use of
// each script on a server takes two requests instead of one.
func Load(ctx context.Context, rdb redis.Scripter) error {
	for _, s := range lua.All() {
		if err := rdb.ScriptLoad(ctx, s.Source).Err(); err != nil {
			return fmt.Errorf("redislock: load %s: %w", s.Name, err)
		}
	}
	return nil
}
