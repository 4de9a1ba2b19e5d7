package tui

import (
	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// arrow is a message drawn between two lanes. Its way goes from column begin to
// column end, both included, whichever is on the left.
type arrow struct {
	from, to   int // lanes
	begin, end int
	step       int
	labels     []string // the longest first
	flying     bool
	lost       bool
}

// newArrow makes the arrow of the message that leaves with a step.
func (v *laneView) newArrow(step, from, to int, labels []string) arrow {
	leg := v.line.legs[step]
	arrived := leg.arrives > 0 && (int(leg.arrives) <= v.step || step > v.step)
	w := arrow{
		from: from, to: to, step: step, labels: labels,
		flying: !arrived, lost: arrived && leg.lost,
	}
	if from < to {
		w.begin, w.end = v.edge(from, step), v.set.lanes[to].x-1
	} else {
		w.begin, w.end = v.set.lanes[from].x-1, v.edge(to, step)
	}
	return w
}

// drawArrow draws an arrow: dashed while it is under way, ending in a cross if
// it is lost.
func (v *laneView) drawArrow(a cells.Area, w arrow) {
	line, head := v.sign.line, v.sign.right
	if w.from > w.to {
		head = v.sign.left
	}
	if w.flying {
		line, head = v.sign.dash, v.sign.openRight
		if w.from > w.to {
			head = v.sign.openLeft
		}
	}
	look := plain
	if w.lost {
		head, look = v.sign.lost, bad
	}
	low, high := min(w.begin, w.end), max(w.begin, w.end)
	for x := low; x <= high; x++ {
		v.drawWay(a, w, x, line, look)
	}
	a.Put(w.begin, 0, v.sign.end, look)
	a.Put(w.end, 0, head, look)
	v.drawLabel(a, w, low+1, high-1)
}

// drawWay draws one cell of the way. Crossed lanes stay visible.
func (v *laneView) drawWay(a cells.Area, w arrow, x int, line string, look cells.Look) {
	for i := min(w.from, w.to) + 1; i < max(w.from, w.to); i++ {
		l := &v.set.lanes[i]
		switch {
		case x == l.x && v.opaque(w.step, l):
			return
		case x == l.x && v.live(w.step, l):
			line = v.sign.cross
		case x > l.x && x < v.edge(i, w.step):
			return
		}
	}
	a.Put(x, 0, line, look)
}

// opaque reports whether a lane shows something at a step that an arrow must not
// cover.
func (v *laneView) opaque(step int, l *lane) bool {
	s := v.line.lane(step, l.actors[0])
	return s.claim != claimNone || l.isGroup()
}

func (v *laneView) live(step int, l *lane) bool { return live(v.line.lane(step, l.actors[0]).state) }

// drawLabel writes the label of an arrow whose inner columns are low to high. It
// goes between two lanes if it fits there, and across lanes only where that
// covers no belief; otherwise it is cut.
func (v *laneView) drawLabel(a cells.Area, w arrow, low, high int) {
	from, to := v.widest(w, low, high)
	transparent := v.transparent(w)
	for _, s := range w.labels {
		switch n := cells.Width(s) + 2; {
		case n <= to-from+1:
			v.centre(a, from, to, " "+s+" ", w.step)
			return
		case transparent && n <= high-low+1:
			v.centre(a, low, high, " "+s+" ", w.step)
			return
		}
	}
	if transparent {
		from, to = low, high
	}
	v.centre(a, from, to, v.choose(to-from+1, w.labels...), w.step)
}

// centre writes text into the middle of the columns from to to.
func (v *laneView) centre(a cells.Area, from, to int, text string, step int) {
	x := from + (to-from+1-cells.Width(text))/2
	a.Put(x, 0, text, v.labelLook(step))
}

// widest is the widest stretch of the way without a lane in it.
func (v *laneView) widest(w arrow, low, high int) (from, to int) {
	from, to = low, low-1
	begin := low
	for i := min(w.from, w.to) + 1; i <= max(w.from, w.to); i++ {
		end := high
		if i < max(w.from, w.to) {
			end = v.set.lanes[i].x - 1
		}
		if end-begin > to-from {
			from, to = begin, end
		}
		begin = v.edge(i, w.step)
	}
	return from, to
}

// transparent reports whether the lanes that an arrow crosses show nothing that
// a label must not cover.
func (v *laneView) transparent(w arrow) bool {
	for i := min(w.from, w.to) + 1; i < max(w.from, w.to); i++ {
		if i == v.truthLane(w.step) || v.opaque(w.step, &v.set.lanes[i]) {
			return false
		}
	}
	return true
}

// ends are the lanes that an event's message leaves and reaches; ok is false if
// there is no such way to draw.
func (v *laneView) ends(e *trace.Event) (from, to int, ok bool) {
	a, known := v.line.actors[e.Actor]
	b, peer := v.line.actors[e.Peer]
	if !known || !peer || v.set.of[a] == v.set.of[b] {
		return 0, 0, false
	}
	return v.set.of[a], v.set.of[b], true
}
