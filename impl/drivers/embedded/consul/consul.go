// Package consul registers embedded:consul with lock.Open: a Consul inside the
// process, made by every Open anew and gone with its Close. It is imported for
// that effect alone. The parameters are those of package drivers/consul but tls;
// minttl is 1s by default, and lockdelay 0s.
//
// What belongs here: joining that server and its lock. What does not: either of
// them.
package consul

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/consulurl"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func init() { lock.Register("embedded:consul", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	cfg := consulurl.Config(a.Params)
	if err := a.Params.Err(); err != nil {
		return nil, err
	}
	if cfg.MinTTL == 0 {
		cfg.MinTTL = time.Second
	}
	if cfg.LockDelay == 0 {
		cfg.LockDelay = consullock.NoLockDelay
	}
	store := consul.NewStore(consul.Options{MinTTL: cfg.MinTTL})
	client, err := api.NewClient(&api.Config{HttpClient: &http.Client{Transport: consul.Transport(store)}})
	if err != nil {
		store.Close()
		return nil, err
	}
	m, err := consulurl.New(ctx, client, cfg)
	if err != nil {
		store.Close()
		return nil, err
	}
	return handle.New(m, handle.NoError(store.Close), m.Close), nil
}
