package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

// every is the time between two plain lines.
const every = time.Second

// writeProgress writes a line now and then until the contest is over.
func (s *stage) writeProgress(over <-chan struct{}) error {
	if _, err := fmt.Fprintln(s.Out, s.headline()); err != nil {
		return err
	}
	t := time.NewTicker(every)
	defer t.Stop()
	last := s.contest.Snapshot()
	for {
		select {
		case <-over:
			return nil
		case <-t.C:
		}
		now := s.contest.Snapshot()
		if _, err := fmt.Fprintln(s.Out, s.progress(now, last)); err != nil {
			return err
		}
		last = now
	}
}

// headline says what is going on.
func (s *stage) headline() string {
	workers := fmt.Sprintf("%d workers", s.Workers)
	if s.Workers == 1 {
		workers = "1 worker"
	}
	how := "one lock"
	if s.NoLock {
		how = "no lock"
	}
	return fmt.Sprintf("%s, %s, %s, %v", s.name, workers, how, s.Duration)
}

// progress is one plain line, about the time since an earlier snapshot and, for
// what is a distribution, about all of the time.
func (s *stage) progress(now, earlier contest.Snapshot) string {
	parts := []string{
		fmt.Sprintf("%.1f s", now.Elapsed.Seconds()),
		fmt.Sprintf("%.0f grants/s", now.RateSince(earlier)),
		"held by " + s.holder(now),
	}
	if s.NoLock {
		parts[1] = fmt.Sprintf("%.0f increments/s", now.RateSince(earlier))
		return strings.Join(append(parts, fmt.Sprintf("lost %d", now.Lost())), "; ")
	}
	parts = append(parts, "wait "+quantiles(now.WaitP50, now.WaitP99), "hand-off "+quantiles(now.HandOffP50, now.HandOffP99))
	if now.Failures > 0 {
		parts = append(parts, fmt.Sprintf("%d errors", now.Failures))
	}
	return strings.Join(parts, "; ")
}
