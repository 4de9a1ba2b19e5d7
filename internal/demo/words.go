package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

// fact is one thing that is measured, in words.
type fact struct{ name, value string }

// facts are all of them that are known, the most important ones first. The rate
// is that of the increments.
func (s *stage) facts(now contest.Snapshot, rate float64) []fact {
	list := []fact{{"increments", fmt.Sprintf("%d, %.0f a second", now.Increments, rate)}}
	list = append(list, exceptions(now)...)
	list = append(list, fact{"each worker", spread(now.PerWorker)})
	if s.NoLock {
		return list
	}
	list = append(list,
		fact{"wait", quantiles(now.WaitP50, now.WaitP99)},
		fact{"hand-off", quantiles(now.HandOffP50, now.HandOffP99)},
		fact{"to itself", percent(now.Kept, now.Grants)},
	)
	if !now.Counted {
		return list
	}
	return append(list,
		fact{"requests", fmt.Sprintf("%d alone, %.1f contended", now.Alone, now.Each)},
		fact{"renewals", fmt.Sprint(now.Traffic.Renewals)},
	)
}

// exceptions are facts that are worth a line only if they occur.
func exceptions(now contest.Snapshot) (list []fact) {
	if now.Overlaps > 0 {
		list = append(list, fact{"two at once", times(now.Overlaps)})
	}
	if now.Losses > 0 {
		list = append(list, fact{"leases lost", fmt.Sprint(now.Losses)})
	}
	if now.Failures > 0 {
		list = append(list, fact{"errors", fmt.Sprintf("%d, the latest: %v", now.Failures, now.LastErr)})
	}
	return list
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func spread(perWorker []int64) string {
	least, most := slices.Min(perWorker), slices.Max(perWorker)
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func quantiles(p50, p99 time.Duration) string {
	if p99 == 0 {
		return "none"
	}
	return "p50 " + short(p50) + ", p99 " + short(p99)
}

// short is a duration with three digits or so, which is all that it is good for.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

func percent(n, of int64) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.0f %% of the grants", 100*float64(n)/float64(of))
}

// holder says who believes that it holds the lock.
func (s *stage) holder(now contest.Snapshot) string {
	switch {
	case now.Holder < 0:
		return "nobody"
	case s.NoLock:
		return fmt.Sprintf("worker %d, without a lock", now.Holder+1)
	}
	return fmt.Sprintf("worker %d", now.Holder+1)
}
