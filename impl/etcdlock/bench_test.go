package etcdlock_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// BenchmarkUncontended is a lock and an unlock that nobody disturbs, beside the
// requests that it is made of and beside etcd's own mutex.
func BenchmarkUncontended(b *testing.B) {
	w := newWorld(b)
	ctx := b.Context()
	b.Run("bare=Put", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.client.Put(ctx, "bare", "x"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare=TxnPutRange+TxnDelete", func(b *testing.B) {
		put := []clientv3.Op{clientv3.OpPut("bare/x", "x"), clientv3.OpGet("bare/", clientv3.WithFirstCreate()...)}
		for b.Loop() {
			if _, err := w.client.Txn(ctx).Then(put...).Commit(); err != nil {
				b.Fatal(err)
			}
			if _, err := w.client.Txn(ctx).Then(clientv3.OpDelete("bare/x")).Commit(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lock=etcdlock", func(b *testing.B) {
		l := w.locker(etcdlock.Config{})
		for b.Loop() {
			lease, err := l.Acquire(ctx, "ours")
			if err != nil {
				b.Fatal(err)
			}
			if err := lease.Release(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lock=concurrency.Mutex", func(b *testing.B) {
		m := w.mutex("theirs")
		for b.Loop() {
			if err := m.Lock(ctx); err != nil {
				b.Fatal(err)
			}
			if err := m.Unlock(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHandOff is the time from grant to grant while several processes want
// the same lock at all times.
func BenchmarkHandOff(b *testing.B) {
	for _, contenders := range []int{2, 4, 8} {
		b.Run(fmt.Sprintf("lock=etcdlock/contenders=%d", contenders), func(b *testing.B) {
			w := newWorld(b)
			contend(b, contenders, func() func(context.Context) error {
				l := w.locker(etcdlock.Config{})
				return func(ctx context.Context) error {
					lease, err := l.Acquire(ctx, "k")
					if err != nil {
						return err
					}
					return lease.Release(ctx)
				}
			})
		})
		b.Run(fmt.Sprintf("lock=concurrency.Mutex/contenders=%d", contenders), func(b *testing.B) {
			w := newWorld(b)
			contend(b, contenders, func() func(context.Context) error {
				s, err := concurrency.NewSession(w.connect())
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { s.Close() })
				return func(ctx context.Context) error {
					m := concurrency.NewMutex(s, "k")
					if err := m.Lock(ctx); err != nil {
						return err
					}
					return m.Unlock(ctx)
				}
			})
		})
	}
}

// contend shares b.N grants among contenders.
func contend(b *testing.B, contenders int, enter func() func(context.Context) error) {
	turns := make(chan struct{}, b.N)
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	var once []func(context.Context) error
	for range contenders {
		once = append(once, enter())
	}
	var wg sync.WaitGroup
	b.ResetTimer()
	for _, once := range once {
		wg.Go(func() {
			for range turns {
				if err := once(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "grants/s")
}
