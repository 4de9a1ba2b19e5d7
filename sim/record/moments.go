package record

import (
	"cmp"
	"slices"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Mark names an instant. It must not lie in the past.
func (r *Recorder) Mark(name string, at kernel.Time) {
	m := trace.Mark{Name: name, At: int64(at)}
	i, _ := slices.BinarySearchFunc(r.marks, m, func(a, b trace.Mark) int { return cmp.Or(cmp.Compare(a.At, b.At), -1) })
	r.marks = slices.Insert(r.marks, i, m)
}

// pass makes a step for every mark before now at whose instant nothing has
// happened, so that what is said there is said of that instant, and not of
// whatever happens next.
func (r *Recorder) pass(now int64) {
	for ; r.passed < len(r.marks) && r.marks[r.passed].At < now; r.passed++ {
		at := r.marks[r.passed].At
		if n := len(r.events); n == 0 || r.events[n-1].At < at {
			r.append(trace.Event{At: at, Kind: trace.KindMoment, Text: "nothing happens"})
		}
	}
}
