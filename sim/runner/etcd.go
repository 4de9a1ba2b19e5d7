package runner

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	etcdanti "github.com/lockstep-sim/lockstep/impl/etcdlock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore"
)

// etcdKinds builds the locks on etcd by the name that scenarios use.
var etcdKinds = map[string]func(etcdlock.Store, etcdlock.Config) (lock.Locker, error){
	"etcd":                      onEtcd(etcdlock.NewOnStore),
	"etcd/granted-without-key":  onEtcd(etcdanti.NewGrantedWithoutKey),
	"etcd/herd":                 onEtcd(etcdanti.NewHerdWatch),
	"etcd/ignore-keepalive":     onEtcd(etcdanti.NewIgnoreKeepAlive),
	"etcd/unconditional-delete": onEtcd(etcdanti.NewUnconditionalDelete),
	"etcd/watch-gap":            onEtcd(etcdanti.NewWatchGap),
	"etcd/watch-past":           onEtcd(etcdanti.NewWatchPast),
}

func etcdKindNames() []string { return slices.Sorted(maps.Keys(etcdKinds)) }

// onEtcd gives a constructor the type of the table.
func onEtcd[L lock.Locker](f func(etcdlock.Store, etcdlock.Config) (L, error)) func(etcdlock.Store, etcdlock.Config) (lock.Locker, error) {
	return func(store etcdlock.Store, cfg etcdlock.Config) (lock.Locker, error) { return f(store, cfg) }
}

// etcdBackend is one etcd member.
type etcdBackend struct {
	x     *execution
	store *etcdstore.Node
	lease etcdlock.LeaseID // the last one that a client has named
}

func newEtcd(x *execution) (backend, error) {
	if x.params["renew"] == "off" {
		return nil, errors.New("locks on etcd always renew their leases: renew=off has no meaning there")
	}
	b := &etcdBackend{x: x}
	b.store = etcdstore.New(x.k.NewProcess(x.nodes[0]), x.net, x.rec, etcdstore.Config{
		Locks: x.lockKeys(), Owner: x.owners.client, Registers: x.resourceNames(),
	})
	return b, b.preload()
}

// preload puts the resources into the store, where they are keys of it.
func (b *etcdBackend) preload() error {
	if b.x.ownResources() {
		return nil
	}
	for _, r := range b.x.sc.Resources {
		if err := b.store.Put(r.Name.Text, strconv.FormatInt(b.x.integer(r.Initial), 10)); err != nil {
			return err
		}
	}
	b.store.Begin()
	return nil
}

func (b *etcdBackend) node(name string) node {
	if name == b.store.Name() {
		return b.store
	}
	return nil
}

func (b *etcdBackend) locker(c *client, kind string) (lock.Locker, error) {
	return etcdKinds[kind](b.store.Client(c.proc), etcdlock.Config{
		Clock:      c.clk,
		TTL:        b.x.param("ttl"),
		NewOwner:   func() string { return b.x.owners.next(c.name) },
		NewLeaseID: b.nextLease,
	})
}

// nextLease names leases by their number, where a real client takes random bits.
func (b *etcdBackend) nextLease() etcdlock.LeaseID {
	b.lease++
	return b.lease
}

func (b *etcdBackend) close() {}

// lockKeys are the names of the scenario's locks.
func (p *plan) lockKeys() []string {
	var keys []string
	for _, w := range p.sc.Locks {
		keys = append(keys, w.Text)
	}
	return keys
}

func (p *plan) resourceNames() []string {
	var names []string
	for _, r := range p.sc.Resources {
		names = append(names, r.Name.Text)
	}
	return names
}
