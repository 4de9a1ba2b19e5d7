package tui

import (
	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// drawHead draws the names of the lanes with what each is doing and, if there is
// a second row, what is left of the leases: for a client by its own reckoning,
// for the store by the store's.
func (v *laneView) drawHead(a cells.Area) {
	for i := range v.set.lanes {
		l := &v.set.lanes[i]
		slot := v.slot(a, i)
		x := slot.Put(0, 0, v.fit(l.name, slot.Width()-1), title)
		if state := v.stateText(l); state != "" {
			v.putState(slot, x, v.sign.separator+state)
		}
		switch {
		case a.Height() < 2:
		case l.isGroup():
			slot.Put(0, 1, v.groupText(l, slot.Width()-1), dim)
		default:
			v.drawLease(slot.Row(1), i)
		}
	}
}

// putState writes what an actor does, unless so little of it fits that it says
// nothing.
func (v *laneView) putState(slot cells.Area, x int, text string) {
	const least = 9
	room := slot.Width() - x - 1
	if room >= least || room >= cells.Width(text) {
		slot.Put(x, 0, v.fit(text, room), dim)
	}
}

// slot is the part of the head that belongs to a lane.
func (v *laneView) slot(a cells.Area, i int) cells.Area {
	from, to := v.gutter.width+v.set.lanes[i].x, a.Width()
	if i+1 < len(v.set.lanes) {
		to = v.gutter.width + v.set.lanes[i+1].x
	}
	return a.Sub(from, 0, to-from, a.Height())
}

// stateText is what the actor of a lane is in the middle of.
func (v *laneView) stateText(l *lane) string {
	if l.isGroup() {
		return ""
	}
	a := &v.world.Actors[l.actors[0]]
	switch a.State {
	case trace.StatePaused:
		return v.tr(txtPaused)
	case trace.StateCrashed:
		return v.tr(txtCrashed)
	case trace.StateExited:
		return v.tr(txtExited)
	case trace.StateDone:
		return v.tr(txtDone)
	default:
		return a.Doing
	}
}

// groupText counts what the clients of a shared lane are doing.
func (v *laneView) groupText(l *lane, width int) string {
	holding, waiting := 0, 0
	waits := map[string]bool{}
	for _, name := range v.world.Waiters() {
		waits[name] = true
	}
	for _, i := range l.actors {
		a := &v.world.Actors[i]
		if len(a.Beliefs) > 0 {
			holding++
		}
		if waits[a.Name] {
			waiting++
		}
	}
	return v.choose(width, v.trf(txtGroup, holding, waiting), v.trf(txtGroupShort, waiting))
}

// drawLease draws a draining bar with the time that is left.
func (v *laneView) drawLease(a cells.Area, lane int) {
	left, total, ok := v.leaseOf(lane)
	if !ok {
		return
	}
	text := clockText(left)
	n := min(a.Width()-cells.Width(text)-2, 12)
	if n < 3 {
		n, text = a.Width()-1, ""
	}
	look := good
	switch {
	case v.isStore(lane):
		look = storeLook
	case v.line.lane(v.step, v.set.lanes[lane].actors[0]).claim.contradicts():
		look = doubtful
	}
	x := a.Put(0, 0, v.bar(n, left, total), look)
	a.Put(x+1, 0, text, dim)
}

// leaseOf is what is left of the lease that a lane shows, and its full length.
func (v *laneView) leaseOf(lane int) (left, total int64, ok bool) {
	l := &v.set.lanes[lane]
	if v.isStore(lane) {
		return v.storeLease(l.name)
	}
	span, ok := v.line.lease(v.step, l.actors[0])
	if !ok || len(l.actors) > 1 {
		return 0, 0, false
	}
	return max(span.until-v.world.At, 0), span.until - span.at, true
}

// isStore reports whether a lane belongs to a store.
func (v *laneView) isStore(lane int) bool {
	return v.line.header.Actors[v.set.lanes[lane].actors[0]].Role == trace.RoleStore
}

// storeLease is what a store has left of the key of the lock.
func (v *laneView) storeLease(store string) (left, total int64, ok bool) {
	k := v.world.Keys[trace.KeyID{Store: store, Key: v.line.header.Lock}]
	return max(k.Expires-v.world.At, 0), k.TTL, k.Expires > 0
}
