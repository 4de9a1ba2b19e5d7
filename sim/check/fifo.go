package check

import (
	"fmt"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// fifo watches the order of grants: who has begun to wait first is granted the
// lock first. Who has gone is out of the queue.
type fifo struct {
	base
	lock  string
	asked map[string]int // the step at which each waiter began
}

func newFIFO(s Setup) Invariant {
	return &fifo{base: base{"fifo"}, lock: s.Lock, asked: map[string]int{}}
}

func (f *fifo) Check(w *trace.World, e *trace.Event) string {
	waits := waitsFor(w, e.Actor) == f.lock
	if _, known := f.asked[e.Actor]; waits && !known {
		f.asked[e.Actor] = e.Step
	}
	reason := ""
	for _, b := range e.Beliefs {
		if b.Holds && b.Lock == f.lock {
			reason = f.overtaken(w, b.Actor)
		}
	}
	if !waits {
		delete(f.asked, e.Actor)
	}
	return reason
}

// overtaken names who was waiting before a client that has just been granted the
// lock.
func (f *fifo) overtaken(w *trace.World, granted string) string {
	since, known := f.asked[granted]
	for i := range w.Actors {
		a := &w.Actors[i]
		began, waiting := f.asked[a.Name]
		if !waiting || a.Name == granted || a.Asks != f.lock || a.Gone() {
			continue
		}
		if !known || began < since {
			return fmt.Sprintf("%s was granted %s before %s, which asked earlier", granted, f.lock, a.Name)
		}
	}
	return ""
}
