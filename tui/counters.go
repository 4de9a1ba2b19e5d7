package tui

import (
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// count keeps the counters of the run: what a herd costs is seen in numbers, not
// in lanes.
func (t *timeline) count(w *trace.World, e *trace.Event) {
	var woken, requests int32
	if n := len(t.woken); n > 0 {
		woken, requests = t.woken[n-1], t.requests[n-1]
	}
	if e != nil && e.Kind == trace.KindReceive && e.Wake {
		woken++
	}
	if e != nil && e.Kind == trace.KindSend && t.isStore(e.Peer) {
		requests++
	}
	t.woken, t.requests = append(t.woken, woken), append(t.requests, requests)
	t.waiting = append(t.waiting, int32(w.Waiting()))
}

func (t *timeline) isStore(name string) bool {
	i, known := t.actors[name]
	return known && t.header.Actors[i].Role == trace.RoleStore
}

// drawCounters shows the counters up to the step at the right end of a row, as far
// as the text on its left leaves room for them. A plus says how much of a counter
// belongs to the instant of the step.
func (s *scene) drawCounters(a cells.Area, used int) {
	waiting := s.line.waiting[s.step]
	for _, text := range []string{
		s.trf(txtCounters, s.counter(s.line.requests), s.counter(s.line.woken), waiting),
		s.trf(txtCounters, s.short(s.line.requests), s.short(s.line.woken), waiting),
		s.trf(txtCountersShort, s.short(s.line.requests), s.short(s.line.woken), waiting),
	} {
		if at := a.Width() - cells.Width(text) - 1; at >= used+2 {
			a.Put(at, 0, text, dim)
			return
		}
	}
}

// counter is a counter with what the instant has added to it.
func (s *scene) counter(of []int32) string {
	first := 0
	if s.step > 0 {
		first = s.line.tr.StepAt(s.world.At) - 1
	}
	if more := of[s.step] - of[first]; more > 0 {
		return s.short(of) + " +" + strconv.Itoa(int(more))
	}
	return s.short(of)
}

func (s *scene) short(of []int32) string { return strconv.Itoa(int(of[s.step])) }
