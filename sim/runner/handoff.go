package runner

import (
	"time"

	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// handOff is the mean time between the end of one ownership in the store and the
// beginning of the next, where somebody was waiting when the first one ended. It
// is rounded to a tenth of a millisecond.
func (x *execution) handOff(t *trace.Trace, s *script.Subject) observed {
	from, to := x.span(t, s)
	var free, sum, n int64
	waited := false
	for i := max(t.StepAt(from), 1); i <= t.Len(); i++ {
		e := t.Event(i)
		if e.At >= to {
			break
		}
		for _, truth := range e.Truths {
			switch {
			case truth.Lock != x.sc.Lock() || e.At < from:
			case truth.Owner == "":
				w := t.At(i)
				free, waited = e.At, len(w.Waiters()) > 0
			case waited:
				sum, n, waited = sum+e.At-free, n+1, false
			}
		}
	}
	if n == 0 {
		return word("none")
	}
	return instant(int64(time.Duration(sum / n).Round(100 * time.Microsecond)))
}
