package sqlengine

import "time"

// Backoff gives pauses that double from Min up to Max, each of them spread at
// random over its upper half.
type Backoff struct {
	Min, Max time.Duration
	// Rand returns a number in [0, 1).
	Rand func() float64

	last time.Duration
}

// Next is the next pause.
func (b *Backoff) Next() time.Duration {
	b.last = min(max(2*b.last, b.Min), b.Max)
	return b.last/2 + time.Duration(b.Rand()*float64(b.last/2))
}

func (e *Engine) backoff() *Backoff {
	return &Backoff{Min: e.cfg.PollMin, Max: e.cfg.PollMax, Rand: e.cfg.Rand}
}
