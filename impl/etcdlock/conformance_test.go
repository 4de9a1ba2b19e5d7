package etcdlock

import (
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/locktest"
)

func TestConformance(t *testing.T) {
	server, err := etcd.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	locktest.Run(t, locktest.Suite{
		Capabilities: locktest.Capabilities{TTL: MinTTL, Grace: 2 * MinTTL, Fencing: true, Fair: true},
		Start:        func(t *testing.T) locktest.Backend { return onServer(t, server) },
	})
}

func onServer(t *testing.T, server *etcd.Server) locktest.Backend {
	connect := func(t *testing.T) *clientv3.Client {
		client, err := server.NewClient()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() }) // a crash has closed it already
		return client
	}
	admin := connect(t)
	keys := func(t *testing.T, prefix string) (names []string) {
		r, err := admin.Get(t.Context(), prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range r.Kvs {
			names = append(names, string(kv.Key))
		}
		return names
	}
	return locktest.Backend{
		Client: func(t *testing.T) (lock.Locker, func()) {
			client := connect(t)
			l, err := New(client, Config{TTL: MinTTL})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return l, func() { _ = client.Close() }
		},
		Left:    func(t *testing.T) []string { return keys(t, "locktest") },
		Waiting: func(t *testing.T, key string) int { return len(keys(t, queuePrefix(key))) - 1 },
	}
}
