package sqlengine

import (
	"sync"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// waiters lets the Acquire calls of one engine hear of each other's releases,
// which saves the waiting of a poll wherever holder and waiter share a process.
type waiters struct {
	clk clock.Clock

	mu    sync.Mutex
	byKey map[string]*queue
}

// queue is shared by the waiters of one key and forgotten with the last one.
type queue struct {
	news clock.Signal
	size int
}

func newWaiters(clk clock.Clock) *waiters {
	return &waiters{clk: clk, byKey: map[string]*queue{}}
}

// join makes the caller a waiter for key until it calls leave.
func (w *waiters) join(key string) (news clock.Signal, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.byKey[key]
	if q == nil {
		q = &queue{news: w.clk.NewSignal()}
		w.byKey[key] = q
	}
	q.size++
	return q.news, func() { w.leave(key, q) }
}

func (w *waiters) leave(key string, q *queue) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q.size--; q.size == 0 {
		delete(w.byKey, key)
	}
}

// wake notifies one waiter for key.
func (w *waiters) wake(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.byKey[key]; q != nil {
		q.news.Notify()
	}
}

// wakeAll notifies one waiter for each key.
func (w *waiters) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, q := range w.byKey {
		q.news.Notify()
	}
}
