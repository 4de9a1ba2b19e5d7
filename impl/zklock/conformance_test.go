package zklock_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/locktest"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

func TestConformance(t *testing.T) {
	kinds := map[string]func(zkconn.Conn) (closing, error){
		"mutex":            func(c zkconn.Conn) (closing, error) { return zklock.New(c, zklock.Config{}) },
		"semaphore of one": func(c zkconn.Conn) (closing, error) { return zklock.NewSemaphore(c, 1, zklock.Config{}) },
	}
	for name, make := range kinds {
		caps := locktest.Capabilities{TTL: sessionTimeout, Grace: tick + time.Second, Fencing: true, Fair: true, Reentrant: true}
		if name != "mutex" {
			caps.Fair, caps.Reentrant = false, false
		}
		t.Run(name, func(t *testing.T) {
			locktest.Run(t, locktest.Suite{
				Capabilities: caps, In: synctest.Test,
				Start: func(t *testing.T) locktest.Backend { return onEmbedded(t, make) },
			})
		})
	}
}

// closing is what the kinds have in common.
type closing interface {
	lock.Locker
	Close() error
}

func onEmbedded(t *testing.T, make func(zkconn.Conn) (closing, error)) locktest.Backend {
	srv := zk.InMemory(zk.Options{})
	t.Cleanup(func() { _ = srv.Close() })
	w := world{t, srv}
	admin := w.dial(srv.NewLink())
	queue := func(t *testing.T, key string) []string {
		names, err := admin.Children(t.Context(), strings.TrimSuffix("/lockstep/"+key, "/"))
		if err != nil && !errors.Is(err, zkconn.ErrNoNode) {
			t.Fatal(err)
		}
		return names
	}
	return locktest.Backend{
		Client: func(t *testing.T) (lock.Locker, func()) {
			link := srv.NewLink()
			l, err := make(w.dial(link))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return l, link.Partition
		},
		Left: func(t *testing.T) (left []string) {
			for _, key := range queue(t, "") {
				left = slices.Concat(left, queue(t, key))
			}
			return left
		},
		Waiting: func(t *testing.T, key string) int { return len(queue(t, key)) - 1 },
	}
}
