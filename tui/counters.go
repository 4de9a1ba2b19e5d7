package tui

import (
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

// drawCounters shows the counters up to the step at the right end of a row, where
// the text on its left leaves room for them.
func (s *scene) drawCounters(a cells.Area, used int) {
	text := s.trf(txtCounters, s.line.requests[s.step], s.line.woken[s.step], s.line.waiting[s.step])
	if at := a.Width() - cells.Width(text) - 1; at >= used+2 {
		a.Put(at, 0, text, dim)
	}
}
