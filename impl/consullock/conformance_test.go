package consullock

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/locktest"
)

const conformanceTTL = 10 * time.Second

func TestConformance(t *testing.T) {
	kinds := map[string]func(*api.Client, Config) (closer, error){
		"mutex":            func(c *api.Client, cfg Config) (closer, error) { return New(c, cfg) },
		"semaphore of one": func(c *api.Client, cfg Config) (closer, error) { return NewSemaphore(c, 1, cfg) },
	}
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			locktest.Run(t, locktest.Suite{
				// The server ends a session after two TTLs.
				Capabilities: locktest.Capabilities{TTL: conformanceTTL, Grace: conformanceTTL + time.Second, Fencing: true},
				In:           synctest.Test,
				Start:        func(t *testing.T) locktest.Backend { return onStore(t, make) },
			})
		})
	}
}

// closer is what the kinds have in common.
type closer interface {
	lock.Locker
	Close() error
}

func onStore(t *testing.T, make func(*api.Client, Config) (closer, error)) locktest.Backend {
	store := consul.NewStore(consul.Options{})
	t.Cleanup(store.Close)
	return locktest.Backend{
		Client: func(t *testing.T) (lock.Locker, func()) {
			wire := &cutWire{RoundTripper: consul.Transport(store)}
			client, err := api.NewClient(&api.Config{HttpClient: &http.Client{Transport: wire}})
			if err != nil {
				t.Fatal(err)
			}
			l, err := make(client, Config{TTL: conformanceTTL, LockDelay: NoLockDelay})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() }) // fails after a crash
			return l, func() { wire.cut.Store(true) }
		},
		Left: func(t *testing.T) (held []string) {
			keys, _, err := store.List(t.Context(), "", consul.Query{})
			if err != nil {
				t.Fatal(err)
			}
			for _, kv := range keys {
				if kv.Session != "" {
					held = append(held, kv.Key)
				}
			}
			return held
		},
	}
}

// cutWire is the network of one client.
type cutWire struct {
	http.RoundTripper
	cut atomic.Bool
}

var errCutOff = errors.New("the network is down")

// RoundTrip implements http.RoundTripper.
func (w *cutWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.cut.Load() {
		return nil, errCutOff
	}
	resp, err := w.RoundTripper.RoundTrip(r)
	if err == nil && w.cut.Load() {
		_ = resp.Body.Close()
		return nil, errCutOff
	}
	return resp, err
}
