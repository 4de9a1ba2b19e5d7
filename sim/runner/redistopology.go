package runner

import (
	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/sim/store/redisstore"
)

// redisTopologyKinds are the locks that live on more than one server.
var redisTopologyKinds = map[string]func(*redisBackend, *client, redislock.Config) (lock.Locker, error){
	"redis/redlock":    newRedlock,
	"redis/replicated": newReplicated,
}

// newRedlock connects the client to every server.
func newRedlock(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
	var servers []redislock.Client
	for _, n := range b.nodes {
		servers = append(servers, b.keep(n.Client(c.proc)))
	}
	return redislock.NewRedlock(servers, cfg)
}

func newReplicated(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
	return redislock.NewReplicated(b.client(c), int(b.x.number("wait")), cfg)
}

// client is a connection to the server, or to the primary.
func (b *redisBackend) client(c *client) *redis.Client {
	if b.group != nil {
		return b.keep(b.group.Client(c.proc))
	}
	return b.keep(b.nodes[0].Client(c.proc))
}

// keep has rdb closed with the backend.
func (b *redisBackend) keep(rdb *redis.Client) *redis.Client {
	b.rdbs = append(b.rdbs, rdb)
	return rdb
}

// replicated reports whether there is a primary with replicas, as opposed to one
// server or independent ones.
func (p *plan) replicated() bool { return p.number("nodes") <= 1 && p.number("replicas") > 0 }

// redisServers are the nodes that are servers, not sentinels.
func (p *plan) redisServers() []string {
	return p.nodes[:len(p.nodes)-len(p.redisSentinels())]
}

func (p *plan) redisSentinels() []string {
	if !p.replicated() {
		return nil
	}
	return p.nodes[len(p.nodes)-int(p.number("sentinels")):]
}

// arrange lets the servers work together as the scenario says.
func (b *redisBackend) arrange(judge *redisstore.Judge) error {
	if !b.x.replicated() {
		judge.Trust(b.nodes...)
		return nil
	}
	var err error
	b.group, err = redisstore.NewGroup(b.nodes, judge, redisstore.GroupConfig{
		Lag:         b.x.param("lag"),
		MinReplicas: int(b.x.number("min-replicas")),
		MaxLag:      b.x.param("max-lag"),
		Sentinels:   b.x.redisSentinels(),
		DownAfter:   b.x.param("down-after"),
	})
	return err
}
