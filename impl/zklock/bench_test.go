package zklock_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	gozk "github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// server is where a benchmark runs.
type server struct{ addr string }

func onServers(b *testing.B, f func(b *testing.B, s server)) {
	b.Run("server=embedded", func(b *testing.B) {
		srv := must(zk.Listen(zk.Options{}))
		b.Cleanup(func() { _ = srv.Close() })
		f(b, server{srv.Addr()})
	})
	b.Run("server=real", func(b *testing.B) { f(b, server{realserver.ZooKeeper(b).Addr()}) })
}

func (s server) client(b *testing.B) *zkconn.Client {
	c := must(zkconn.Dial(b.Context(), zkconn.Config{Servers: []string{s.addr}}))
	b.Cleanup(c.Close)
	return c
}

func (s server) mutex(b *testing.B) func() error {
	m := must(zklock.New(s.client(b), zklock.Config{}))
	b.Cleanup(func() { _ = m.Close() })
	ctx := context.WithoutCancel(b.Context())
	return func() error {
		lease, err := m.Acquire(ctx, "k")
		if err != nil {
			return err
		}
		return lease.Release(ctx)
	}
}

// theirs is the lock of the client library.
func (s server) theirs(b *testing.B) func() error {
	conn, _, err := gozk.Connect([]string{s.addr}, longSession, gozk.WithLogInfo(false))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	return func() error {
		l := gozk.NewLock(conn, "/theirs", gozk.WorldACL(gozk.PermAll))
		if err := l.Lock(); err != nil {
			return err
		}
		return l.Unlock()
	}
}

const longSession = limit

// BenchmarkUncontended is a lock and an unlock that nobody disturbs, beside the
// requests that it is made of and beside the lock of the client library.
func BenchmarkUncontended(b *testing.B) {
	onServers(b, func(b *testing.B, s server) {
		b.Run("bare=Get", func(b *testing.B) {
			c := s.client(b)
			repeat(b, func() error { return second(c.Get(context.Background(), "/zookeeper")) })
		})
		b.Run("bare=Create+Children+Delete", func(b *testing.B) {
			c := s.client(b)
			ctx := context.Background()
			if _, err := c.Create(ctx, "/bare", zkconn.Persistent); err != nil {
				b.Fatal(err)
			}
			repeat(b, func() error {
				n, err := c.Create(ctx, "/bare/n-", zkconn.EphemeralSequential)
				if err != nil {
					return err
				}
				if _, err := c.Children(ctx, "/bare"); err != nil {
					return err
				}
				return c.Delete(ctx, n.Path)
			})
		})
		b.Run("lock=zklock", func(b *testing.B) { repeat(b, s.mutex(b)) })
		b.Run("lock=go-zookeeper", func(b *testing.B) { repeat(b, s.theirs(b)) })
	})
}

func repeat(b *testing.B, f func() error) {
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandOff is the time from grant to grant while several processes want
// the same lock at all times.
func BenchmarkHandOff(b *testing.B) {
	onServers(b, func(b *testing.B, s server) {
		for _, n := range []int{2, 8} {
			b.Run(fmt.Sprintf("lock=zklock/contenders=%d", n), func(b *testing.B) { contend(b, n, s.mutex) })
			b.Run(fmt.Sprintf("lock=go-zookeeper/contenders=%d", n), func(b *testing.B) { contend(b, n, s.theirs) })
		}
	})
}

// contend shares b.N grants among contenders.
func contend(b *testing.B, contenders int, enter func(*testing.B) func() error) {
	turns := make(chan struct{}, b.N)
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	var each []func() error
	for range contenders {
		each = append(each, enter(b))
	}
	var done sync.WaitGroup
	b.ResetTimer()
	for _, once := range each {
		done.Go(func() {
			for range turns {
				if err := once(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "grants/s")
}
