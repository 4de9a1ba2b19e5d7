package contest

import (
	"slices"
	"time"
)

// Snapshot is what is known of a contest at one moment.
type Snapshot struct {
	Elapsed, Duration time.Duration

	Increments int64 // writes of the counter
	Value      int64 // its value
	PerWorker  []int64
	Grants     int64 // the sum of them
	Holder     int   // number of the worker that believes it holds the lock, or -1
	Overlaps   int64 // grants while another worker believed that it held the lock
	Kept       int64 // grants to the worker that had released last
	Losses     int64 // leases that ended before their release

	WaitP50, WaitP99       time.Duration // from the call of Acquire to its return
	HandOffP50, HandOffP99 time.Duration // from one worker's call of Release to the return of another's Acquire

	Counted bool    // whether the following are known
	Alone   int64   // requests of a lock and unlock without contention
	Each    float64 // requests for each grant, with all that waiting and renewing takes
	Traffic Traffic // since the workers began; renewals since the beginning
	base    int64   // requests until then

	Failures int64
	LastErr  error // the latest of them
}

// Lost is the number of lost updates: increments that do not show in the counter.
func (s Snapshot) Lost() int64 { return s.Increments - s.Value }

// Rate is the number of grants a second since the beginning.
func (s Snapshot) Rate() float64 { return perSecond(s.Grants, s.Elapsed) }

// RateSince is the number of grants a second since an earlier snapshot.
func (s Snapshot) RateSince(earlier Snapshot) float64 {
	return perSecond(s.Grants-earlier.Grants, s.Elapsed-earlier.Elapsed)
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Snapshot tells how the contest stands. While the workers run, a grant may be
// counted whose increment is still under way.
func (c *Contest) Snapshot() Snapshot {
	s := c.board.snapshot()
	s.Duration = c.cfg.Duration
	s.Value, s.Increments = c.counter.state()
	if c.cfg.Traffic == nil {
		return s
	}
	s.Counted = true
	traffic := c.traffic()
	s.Traffic = Traffic{Requests: traffic.Requests - s.base, Renewals: traffic.Renewals}
	if s.Grants > 0 {
		s.Each = float64(s.Traffic.Requests) / float64(s.Grants)
	}
	return s
}

func (b *board) snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Snapshot{
		Elapsed: b.elapsed(), Alone: b.alone, base: b.base, PerWorker: slices.Clone(b.perWorker), Holder: b.holder,
		Overlaps: b.overlaps, Kept: b.kept, Losses: b.losses,
		WaitP50: b.waits.quantile(0.5), WaitP99: b.waits.quantile(0.99),
		HandOffP50: b.handOffs.quantile(0.5), HandOffP99: b.handOffs.quantile(0.99),
		Failures: b.failures, LastErr: b.lastErr,
	}
	for _, n := range s.PerWorker {
		s.Grants += n
	}
	return s
}

// elapsed is the time from the start to now or to the end. The caller holds b.mu.
func (b *board) elapsed() time.Duration {
	switch {
	case b.began.IsZero():
		return 0
	case b.ended.IsZero():
		return time.Since(b.began)
	}
	return b.ended.Sub(b.began)
}
