package contest

import (
	"sync"
	"time"
)

// nobody stands for the number of a worker.
const nobody = -1

// board is where the workers write down what happens. All that it says about
// holders is what they believe: a worker holds the lock from the return of its
// Acquire to its call of Release.
type board struct {
	mu        sync.Mutex
	began     time.Time // zero before the start
	ended     time.Time // zero until the end
	alone     int64     // requests of a lock and unlock without contention
	base      int64     // requests before the start
	perWorker []int64   // grants
	inside    int       // workers that hold the lock now
	holder    int       // the latest of them
	overlaps  int64     // grants while another worker was inside
	kept      int64     // grants to the worker that released last
	waits     histogram
	handOffs  histogram
	leftBy    int       // worker that released last
	leftAt    time.Time // when it did
	losses    int64     // leases that were over at the release
	failures  int64
	lastErr   error
}

func (b *board) probed(requests int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alone = requests
}

func (b *board) start(workers int, now time.Time, requests int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.began, b.base, b.perWorker = now, requests, make([]int64, workers)
	b.holder, b.leftBy = nobody, nobody
}

func (b *board) finish(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = now
}

// enter notes a grant.
func (b *board) enter(worker int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.perWorker[worker]++
	b.waits.add(wait)
	switch {
	case b.inside > 0:
		b.overlaps++
	case b.leftBy == worker:
		b.kept++
	case b.leftBy != nobody:
		b.handOffs.add(time.Since(b.leftAt))
	}
	b.inside++
	b.holder = worker
}

// leave notes that a worker is about to release the lock.
func (b *board) leave(worker int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inside--
	if b.inside == 0 {
		b.holder = nobody
	}
	b.leftBy, b.leftAt = worker, time.Now()
}

// lost notes a lease that was over before its release.
func (b *board) lost() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.losses++
}

func (b *board) failed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.lastErr = err
}
