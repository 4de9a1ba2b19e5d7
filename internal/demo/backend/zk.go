package backend

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// The bounds of the embedded server's sessions. Those of a real one are 4 s and
// 40 s by default.
const (
	zkTick       = 100 * time.Millisecond
	zkMaxTimeout = time.Hour
)

func startZK(_ context.Context, b *Backend, ttl time.Duration) error {
	server, err := zk.Listen(zk.Options{Tick: zkTick, MinTimeout: zkTick, MaxTimeout: zkMaxTimeout})
	if err != nil {
		return err
	}
	b.close.add(server.Close)
	b.connect = func(ctx context.Context) (lock.Locker, error) {
		client, err := zkconn.Dial(ctx, zkconn.Config{Servers: []string{server.Addr()}, SessionTimeout: ttl})
		if err != nil {
			return nil, err
		}
		b.close.add(func() error { client.Close(); return nil })
		l, err := zklock.New(countedZK{client, &b.meter}, zklock.Config{})
		if err != nil {
			return nil, err
		}
		b.close.add(l.Close)
		return l, nil
	}
	return nil
}

// countedZK is a client whose requests are counted. A mutex proves with a sync
// that its session lives, so these are its renewals; the pings of the client
// itself are not seen here.
type countedZK struct {
	zkconn.Conn
	meter *meter
}

// Create implements zkconn.Conn.
func (c countedZK) Create(ctx context.Context, path string, mode zkconn.Mode) (zkconn.Node, error) {
	c.meter.count(false)
	return c.Conn.Create(ctx, path, mode)
}

// Delete implements zkconn.Conn.
func (c countedZK) Delete(ctx context.Context, path string) error {
	c.meter.count(false)
	return c.Conn.Delete(ctx, path)
}

// Get implements zkconn.Conn.
func (c countedZK) Get(ctx context.Context, path string) (zkconn.Node, error) {
	c.meter.count(false)
	return c.Conn.Get(ctx, path)
}

// Set implements zkconn.Conn.
func (c countedZK) Set(ctx context.Context, path string, data []byte) error {
	c.meter.count(false)
	return c.Conn.Set(ctx, path, data)
}

// Children implements zkconn.Conn.
func (c countedZK) Children(ctx context.Context, path string) ([]string, error) {
	c.meter.count(false)
	return c.Conn.Children(ctx, path)
}

// Watch implements zkconn.Conn.
func (c countedZK) Watch(ctx context.Context, path string, notify func()) (zkconn.Node, func(), error) {
	c.meter.count(false)
	return c.Conn.Watch(ctx, path, notify)
}

// WatchChildren implements zkconn.Conn.
func (c countedZK) WatchChildren(ctx context.Context, path string, notify func()) ([]string, func(), error) {
	c.meter.count(false)
	return c.Conn.WatchChildren(ctx, path, notify)
}

// Sync implements zkconn.Conn.
func (c countedZK) Sync(ctx context.Context, path string) error {
	c.meter.count(true)
	return c.Conn.Sync(ctx, path)
}
