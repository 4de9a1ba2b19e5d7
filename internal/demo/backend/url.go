package backend

import (
	"context"
	"net/url"
	"strings"
	"time"

	// The schemes that a URL may have.
	_ "github.com/lockstep-sim/lockstep/impl/drivers/consul"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/etcd"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/mysql"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/postgres"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/redis"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/sqlite"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// openURL makes a backend of which every client is a lock.Open of the URL.
func openURL(rawURL string, ttl time.Duration) (*Backend, error) {
	if ttl > 0 {
		rawURL = withTTL(rawURL, ttl)
	}
	a, err := lock.ParseAddress(rawURL)
	if err != nil {
		return nil, err
	}
	b := &Backend{Name: a.String()}
	b.connect = func(ctx context.Context) (lock.Locker, error) {
		client, err := lock.Open(ctx, rawURL)
		if err != nil {
			return nil, err
		}
		b.close.add(client.Close)
		return client, nil
	}
	return b, nil
}

// withTTL adds the parameter that all schemes have.
func withTTL(rawURL string, ttl time.Duration) string {
	separator := "?"
	if strings.Contains(rawURL, "?") {
		separator = "&"
	}
	return rawURL + separator + "ttl=" + url.QueryEscape(ttl.String())
}
