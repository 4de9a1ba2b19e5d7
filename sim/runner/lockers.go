package runner

import (
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	localanti "github.com/lockstep-sim/lockstep/impl/lock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	redisanti "github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
	"github.com/lockstep-sim/lockstep/sim/store/redisstore"
)

// localMutex is the kind of lock that needs no store.
const localMutex = "local-mutex"

// redisKinds builds the locks on Redis by the name that scenarios use. A test
// compares it with the table of the language.
var redisKinds = map[string]func(*redis.Client, redislock.Config) (lock.Locker, error){
	"redis":                     as(redislock.New),
	"redis/setnx-expire":        as(redisanti.NewSetnxExpire),
	"redis/plain-delete":        as(redisanti.NewPlainDelete),
	"redis/get-then-delete":     as(redisanti.NewGetThenDelete),
	"redis/renew-without-owner": as(redisanti.NewRenewWithoutOwner),
	"redis/unstopped-watchdog":  as(redisanti.NewUnstoppedWatchdog),
}

// as gives a constructor the type of the table.
func as[L lock.Locker](f func(redislock.Client, redislock.Config) (L, error)) func(*redis.Client, redislock.Config) (lock.Locker, error) {
	return func(rdb *redis.Client, cfg redislock.Config) (lock.Locker, error) { return f(rdb, cfg) }
}

// newLocker builds the lock that the variant asks for, on the client's clock
// and with its own connection to the store.
func (x *execution) newLocker(c *client) (lock.Locker, error) {
	kind := x.params["kind"]
	if kind == localMutex {
		return localanti.NewLocalMutex(c.clk), nil
	}
	rdb := x.nodes[0].Client(c.proc)
	x.rdbs = append(x.rdbs, rdb)
	return redisKinds[kind](rdb, redislock.Config{
		Clock:    c.clk,
		TTL:      x.param("ttl"),
		NoRenew:  x.params["renew"] == "off",
		Fencing:  x.params["fencing"] == "on",
		Poll:     x.param("poll"),
		NewOwner: func() string { return x.owners.next(c.name) },
		TokenKey: tokenKey,
	})
}

// scripts are the Lua scripts that clients may run, by SHA.
func scripts() map[string]redisstore.Script {
	out := map[string]redisstore.Script{}
	for _, s := range redislock.Scripts() {
		out[s.SHA] = redisstore.Script{Name: s.Name, File: "impl/redislock/internal/lua/" + s.Name, Line: firstCode(s.Source)}
	}
	return out
}

// firstCode is the number of the first line that is no comment.
func firstCode(lua string) int {
	n := 1
	for line := range strings.Lines(lua) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "--") {
			return n
		}
		n++
	}
	return 1
}

// tokenKey is the key that counts the grants of a lock.
func tokenKey(lock string) string { return lock + ":token" }
