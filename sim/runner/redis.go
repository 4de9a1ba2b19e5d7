package runner

import (
	"maps"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	redisanti "github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
	"github.com/lockstep-sim/lockstep/sim/store/redisstore"
)

// redisKinds builds the locks on Redis by the name that scenarios use.
var redisKinds = map[string]func(*redis.Client, redislock.Config) (lock.Locker, error){
	"redis":                     as(redislock.New),
	"redis/setnx-expire":        as(redisanti.NewSetnxExpire),
	"redis/polling":             as(redisanti.NewPolling),
	"redis/plain-delete":        as(redisanti.NewPlainDelete),
	"redis/get-then-delete":     as(redisanti.NewGetThenDelete),
	"redis/renew-without-owner": as(redisanti.NewRenewWithoutOwner),
	"redis/token-read-later":    as(redisanti.NewTokenReadLater),
	"redis/unstopped-watchdog":  as(redisanti.NewUnstoppedWatchdog),
	"redis/reentrant":           as(redislock.NewReentrant),
	"redis/fair":                as(redislock.NewFair),
}

func redisKindNames() []string {
	names := slices.Sorted(maps.Keys(redisKinds))
	for _, kinds := range redisBuilders {
		names = append(names, slices.Sorted(maps.Keys(kinds))...)
	}
	return names
}

// redisBuilders are the locks that take more than one client and one config.
var redisBuilders = []map[string]func(*redisBackend, *client, redislock.Config) (lock.Locker, error){
	redisTopologyKinds, redisModeKinds, redisMultiKinds,
}

// as gives a constructor the type of the table.
func as[L lock.Locker](f func(redislock.Client, redislock.Config) (L, error)) func(*redis.Client, redislock.Config) (lock.Locker, error) {
	return func(rdb *redis.Client, cfg redislock.Config) (lock.Locker, error) { return f(rdb, cfg) }
}

// redisBackend is one Redis server, several independent ones, or a primary with
// replicas and sentinels.
type redisBackend struct {
	x     *execution
	nodes []*redisstore.Node
	group *redisstore.Group // nil where there are no replicas
	rdbs  []*redis.Client
}

func newRedis(x *execution) (backend, error) {
	b := &redisBackend{x: x}
	if err := b.build(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *redisBackend) build() error {
	judge := redisstore.NewJudge(b.x.owners.client, b.x.lockKeys()...)
	for _, name := range b.x.redisServers() {
		n, err := redisstore.New(b.x.k.NewProcess(name), b.x.net, b.x.rec, redisstore.Config{
			Lock: b.x.sc.Lock(), Owner: b.x.owners.client, Scripts: scripts(),
			Judge: judge, Fsync: redisstore.Fsync(b.x.params["fsync"]),
		})
		if err != nil {
			return err
		}
		b.nodes = append(b.nodes, n)
	}
	if err := b.arrange(judge); err != nil {
		return err
	}
	for _, n := range b.nodes {
		if err := b.preload(n); err != nil {
			return err
		}
	}
	return nil
}

// preload puts the scripts into the server's cache and the number of earlier
// grants into the lock's counter, as earlier clients have done. It takes no
// time and is no part of the timeline.
func (b *redisBackend) preload(n *redisstore.Node) error {
	rdb := n.Client(b.x.k.NewProcess("setup"))
	defer rdb.Close() //nolint:errcheck // closing an in-memory connection cannot fail
	if err := redislock.Load(background, rdb); err != nil {
		return err
	}
	if earlier := b.x.number("first-token") - 1; earlier > 0 {
		if err := rdb.Set(background, tokenKey(b.x.sc.Lock()), earlier, 0).Err(); err != nil {
			return err
		}
	}
	n.Begin()
	return nil
}

func (b *redisBackend) node(name string) node {
	for _, n := range b.nodes {
		if n.Name() == name {
			return n
		}
	}
	if b.group == nil {
		return nil
	}
	if s := b.group.Sentinel(name); s != nil {
		return s
	}
	return nil
}

func (b *redisBackend) locker(c *client, kind string) (lock.Locker, error) {
	cfg := redislock.Config{
		Clock:    c.clk,
		TTL:      b.x.param("ttl"),
		NoRenew:  b.x.params["renew"] == "off",
		Fencing:  b.x.params["fencing"] == "on",
		Poll:     b.x.param("poll"),
		NewOwner: func() string { return b.x.owners.next(c.name) },
		TokenKey: tokenKey,

		RequestTimeout: b.x.param("request-timeout"),
	}
	for _, kinds := range redisBuilders {
		if build, ok := kinds[kind]; ok {
			return build(b, c, cfg)
		}
	}
	return redisKinds[kind](b.client(c), cfg)
}

func (b *redisBackend) close() {
	for _, rdb := range b.rdbs {
		_ = rdb.Close() // an in-memory connection: nothing can fail
	}
	for _, n := range b.nodes {
		n.Close()
	}
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
