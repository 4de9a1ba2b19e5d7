package tui

import (
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// gutter is what stands left of the lanes: the cursor, the time and a flag.
type gutter struct {
	time, flag, width int
	narrow            bool // times stand without a blank, which gains a cell
}

func gutterOf(width int) gutter {
	if width < 60 {
		return gutter{time: 7, flag: 8, width: 9, narrow: true}
	}
	return gutter{time: 9, flag: 11, width: 13}
}

// room is how long a time with its blank may be.
func (g gutter) room() int {
	if g.narrow {
		return g.time + 1
	}
	return g.time
}

// laneView draws the lanes of a scene.
type laneView struct {
	*scene
	gutter gutter
	set    laneSet
}

func (s *scene) laneView(width int) *laneView {
	g := gutterOf(width)
	return &laneView{scene: s, gutter: g, set: layLanes(s.line.header.Actors, width-g.width, s.first)}
}

// firstRow is the row at the top of the lanes: the cursor stays in the middle,
// with a little more room above it than below.
func firstRow(t *timeline, step, height int) int {
	top := t.rowOf[step] - height*6/10
	return max(0, min(top, len(t.rows)-height))
}

// stepAtRow is the step of the row y of lanes of some height, or -1.
func stepAtRow(t *timeline, step, height, y int) int {
	i := firstRow(t, step, height) + y
	if i < 0 || i >= len(t.rows) {
		return -1
	}
	return t.rows[i].step
}

// drawRows draws the steps around the cursor.
func (v *laneView) drawRows(a cells.Area) {
	first := firstRow(v.line, v.step, a.Height())
	for y := range a.Height() {
		i := first + y
		if i >= len(v.line.rows) || v.line.rows[i].step > v.step && v.hideFuture {
			break
		}
		v.drawRow(a.Row(y), v.line.rows[i], y == 0)
	}
}

func (v *laneView) drawRow(a cells.Area, r row, top bool) {
	v.drawGutter(a.Sub(0, 0, v.gutter.width, 1), r, top)
	lanes := a.Sub(v.gutter.width, 0, a.Width()-v.gutter.width, 1)
	switch r.kind {
	case rowGap:
		v.drawBars(lanes, r.step-1)
	case rowEvent:
		v.drawBars(lanes, r.step)
		v.drawEvent(lanes, r.step)
	case rowParted:
		v.drawBanner(lanes, r.step, v.sign.parted+" "+v.partedText(r), doubtful)
	case rowBroken:
		b := v.line.tr.Event(r.step).Violations[r.item]
		v.drawBanner(lanes, r.step, v.sign.broken+" "+v.trf(txtBrokenHere, v.invariant(b.Invariant), v.phrase(b.Reason)), bad)
	}
	switch {
	case r.step > v.step:
		a.Restyle(func(cells.Look) cells.Look { return dim })
	case r.step == v.step && r.kind == rowEvent:
		a.Restyle(func(l cells.Look) cells.Look { return l | cells.Bold })
	}
}

// drawGutter draws what stands left of the lanes. The time is left out where it
// is that of the row above.
func (v *laneView) drawGutter(a cells.Area, r row, top bool) {
	look := plain
	here := r.kind == rowEvent && r.step == v.step
	if here {
		look = cells.Reverse
		a.Fill(0, 0, v.gutter.time+1, " ", look)
		a.Put(0, 0, v.sign.cursor, look)
	}
	text := ""
	switch {
	case r.kind == rowGap:
		text, look = v.sign.gap+" "+columnText(v.line.gapBefore(r.step), v.gutter.room()-2), dim
	case r.kind == rowEvent && (here || top || r.step == 0 || v.line.gapBefore(r.step) > 0):
		text = columnText(v.line.at(r.step), v.gutter.room())
	}
	if v.gutter.narrow {
		text = strings.ReplaceAll(text, " ", "")
	}
	text = v.fit(text, v.gutter.time)
	a.Put(1+v.gutter.time-cells.Width(text), 0, text, look)
	if r.kind == rowEvent {
		v.drawFlag(a, r.step)
	}
}

// drawFlag shows the most important thing about a step.
func (v *laneView) drawFlag(a cells.Area, step int) {
	switch {
	case step == 0:
	case len(v.line.tr.Event(step).Violations) > 0:
		a.Put(v.gutter.flag, 0, v.sign.broken, bad)
	case int(v.line.parted[step]) == step:
		a.Put(v.gutter.flag, 0, v.sign.parted, doubtful)
	case v.hits.has(step):
		a.Put(v.gutter.flag, 0, v.sign.hit, accent|cells.Bold)
	case v.line.marked(step):
		a.Put(v.gutter.flag, 0, v.sign.mark, markLook)
	}
}

// drawBars draws what every lane is in after a step.
func (v *laneView) drawBars(a cells.Area, step int) {
	for i := range v.set.lanes {
		l := &v.set.lanes[i]
		glyph, look := v.barOf(step, l)
		a.Put(l.x, 0, glyph, look)
		if !l.isGroup() && v.line.lane(step, l.actors[0]).state == trace.StatePaused {
			a.Put(l.x+1, 0, v.sign.pausedMark, doubtful)
		}
		if i == v.truthLane(step) {
			a.Put(l.x+1, 0, v.truthText(step), storeLook|cells.Bold)
		}
	}
}

// stateOf is the state of a lane after a step: of several actors, that of the
// strongest claim, or of one that lives.
func (v *laneView) stateOf(step int, l *lane) laneState {
	best := v.line.lane(step, l.actors[0])
	for _, a := range l.actors[1:] {
		if s := v.line.lane(step, a); s.claim > best.claim || s.claim == best.claim && !live(best.state) {
			best = s
		}
	}
	return best
}

// barOf is the sign of a lane after a step.
func (v *laneView) barOf(step int, l *lane) (string, cells.Look) {
	best := v.stateOf(step, l)
	switch {
	case best.claim == claimHolds:
		return v.sign.holds, good
	case best.claim == claimDoubts:
		return v.sign.doubts, doubtful
	case best.claim == claimWorks:
		return v.sign.works, doubtful
	case !live(best.state):
		return v.sign.ended, plain
	case best.state == trace.StatePaused:
		return v.sign.paused, dim
	case v.line.header.Actors[l.actors[0]].Role == trace.RoleStore:
		if v.line.truth[step] != "" {
			return v.sign.store, storeLook
		}
		return v.sign.lane, storeLook
	default:
		return v.sign.lane, dim
	}
}

// truthText is what stands beside the lane of the store: the owner's name, as
// far as there is room.
func (v *laneView) truthText(step int) string { return cells.Fit(v.line.truth[step], truthWidth, "") }

// truthLane is the lane beside which the owner stands after a step: that of the
// store which has said so last or, where that has no lane of its own, of the first.
func (v *laneView) truthLane(step int) int {
	if seat := v.line.seat[step]; seat >= 0 && !v.set.lanes[v.set.of[seat]].isGroup() {
		return v.set.of[seat]
	}
	return v.set.truth
}

// truthWidth is the room for the owner beside the lane of the store.
const truthWidth = 2

// edge is the first free column right of a lane.
func (v *laneView) edge(lane, step int) int {
	x := v.set.lanes[lane].x + 1
	if lane == v.truthLane(step) {
		x += cells.Width(v.truthText(step))
	}
	return x
}

// drawBanner writes a text across the lanes, for what is nobody's own.
func (v *laneView) drawBanner(a cells.Area, step int, text string, look cells.Look) {
	v.drawBars(a, step)
	if len(v.set.lanes) > 0 {
		x := v.set.lanes[0].x + 3
		x = a.Put(x, 0, v.fit(text, a.Width()-x), look)
		a.Put(x, 0, " ", plain) // apart from the bar behind it
	}
}
