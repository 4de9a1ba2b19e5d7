package runner

import (
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	consulanti "github.com/lockstep-sim/lockstep/impl/consullock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/store/consulstore"
)

// consulKinds builds the locks on Consul by the name that scenarios use.
var consulKinds = map[string]func(*api.Client, consullock.Config) (lock.Locker, error){
	"consul":               onConsul(consullock.New),
	"consul/session-owner": onConsul(consulanti.NewSessionOwner),
	"consul/stuck-index":   onConsul(consulanti.NewStuckIndex),
}

func consulKindNames() []string { return slices.Sorted(maps.Keys(consulKinds)) }

// onConsul gives a constructor the type of the table.
func onConsul[L lock.Locker](f func(*api.Client, consullock.Config) (L, error)) func(*api.Client, consullock.Config) (lock.Locker, error) {
	return func(client *api.Client, cfg consullock.Config) (lock.Locker, error) { return f(client, cfg) }
}

// consulBackend is one Consul server.
type consulBackend struct {
	x     *execution
	store *consulstore.Node
}

func newConsul(x *execution) (backend, error) {
	if x.params["renew"] == "off" {
		return nil, errors.New("locks on Consul always renew their sessions: renew=off has no meaning there")
	}
	return &consulBackend{x, consulstore.New(x.k.NewProcess(x.nodes[0]), x.net, x.rec, consulstore.Config{
		Locks: x.lockKeys(), Owner: x.owners.client, MinTTL: x.param("min-ttl"),
	})}, nil
}

func (b *consulBackend) node(name string) node {
	if name == b.store.Name() {
		return b.store
	}
	return nil
}

func (b *consulBackend) locker(c *client, kind string) (lock.Locker, error) {
	client, err := b.store.Client(c.proc)
	if err != nil {
		return nil, err
	}
	delay := b.x.param("lock-delay")
	if delay == 0 {
		delay = consullock.NoLockDelay
	}
	return consulKinds[kind](client, consullock.Config{
		Clock:     c.clk,
		TTL:       b.x.param("ttl"),
		MinTTL:    b.x.param("min-ttl"),
		LockDelay: delay,
		Behavior:  b.x.params["behavior"],
		DelayPoll: b.x.param("delay-poll"),
		Wait:      b.x.param("poll"),
		NewOwner:  func() string { return b.x.owners.next(c.name) },
	})
}

func (b *consulBackend) close() {}
