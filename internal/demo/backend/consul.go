package backend

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// consulMinTTL is the shortest session of the embedded server, a tenth of what
// a real one has by default.
const consulMinTTL = time.Second

func startConsul(_ context.Context, b *Backend, ttl time.Duration) error {
	server, err := consul.Start(consul.Options{MinTTL: consulMinTTL})
	if err != nil {
		return err
	}
	b.close.add(server.Close)
	b.connect = func(context.Context) (lock.Locker, error) {
		transport := api.DefaultConfig().Transport
		b.close.add(func() error { transport.CloseIdleConnections(); return nil })
		client, err := api.NewClient(&api.Config{
			Address:    server.Addr(),
			HttpClient: &http.Client{Transport: countedHTTP{transport, &b.meter}},
		})
		if err != nil {
			return nil, err
		}
		l, err := consullock.New(client, consullock.Config{
			TTL: ttl, MinTTL: consulMinTTL, LockDelay: consullock.NoLockDelay,
		})
		if err != nil {
			return nil, err
		}
		b.close.add(l.Close)
		return l, nil
	}
	return nil
}

// countedHTTP is a transport whose requests are counted.
type countedHTTP struct {
	http.RoundTripper
	meter *meter
}

// RoundTrip implements http.RoundTripper.
func (c countedHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	c.meter.count(strings.HasPrefix(r.URL.Path, "/v1/session/renew/"))
	return c.RoundTripper.RoundTrip(r)
}
