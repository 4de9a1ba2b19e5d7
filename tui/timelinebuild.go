package tui

import (
	"slices"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// newTimeline computes the timeline of tr.
func newTimeline(tr *trace.Trace) *timeline {
	h := tr.Header()
	t := &timeline{
		tr: tr, header: h, actors: map[string]int{}, leases: make([][]leaseSpan, len(h.Actors)),
		lanes: make([][]laneSpan, len(h.Actors)), changed: map[trace.KeyID][]int{}, keeps: map[string]bool{}, judged: map[string]bool{},
	}
	for i, a := range h.Actors {
		t.actors[a.Name] = i
	}
	t.legs = legs(tr)
	for step := 1; step <= tr.Len(); step++ {
		for _, truth := range tr.Event(step).Truths {
			t.judged[truth.Lock] = true
		}
	}
	w := h.Start()
	b := &builder{timeline: t}
	b.add(&w, nil)
	for step := 1; step <= tr.Len(); step++ {
		e := tr.Event(step)
		w.Apply(e)
		b.add(&w, e)
	}
	return t
}

// builder makes a timeline step by step.
type builder struct {
	*timeline
	contradicting int // how many claims contradict the store now
}

// add appends the world after a step. Only step 0 has no event.
func (b *builder) add(w *trace.World, e *trace.Event) {
	step := w.Step
	b.addTruth(w, e)
	parted := b.addLanes(w, e)
	b.addGap(step)
	b.rowOf = append(b.rowOf, len(b.rows))
	b.rows = append(b.rows, row{kind: rowEvent, step: step})
	b.addParted(step, parted)
	b.addSource(step, e)
	b.count(w, e)
	if e == nil {
		return
	}
	for i := range e.Violations {
		b.rows = append(b.rows, row{kind: rowBroken, step: step, item: i})
	}
	b.addLeases(e)
	for _, c := range e.Changes {
		id := trace.KeyID{Store: c.Store, Key: c.Key}
		b.changed[id] = append(b.changed[id], step)
		b.keep(c.Store)
	}
	for _, c := range e.Sessions {
		b.keep(c.Store)
	}
}

// keep notes that a store holds something at some time.
func (b *builder) keep(name string) {
	if i, ok := b.actors[name]; ok && b.header.Actors[i].Role == trace.RoleStore {
		b.keeps[name] = true
	}
}

// addTruth notes who owns the lock. That changes with few events.
func (b *builder) addTruth(w *trace.World, e *trace.Event) {
	if e != nil && len(e.Truths) == 0 {
		last := len(b.truth) - 1
		b.truth, b.seat = append(b.truth, b.truth[last]), append(b.seat, b.seat[last])
		return
	}
	b.truth, b.seat = append(b.truth, owners(w)), append(b.seat, b.seatOf(w, e))
}

// seatOf is the store beside which the owner stands, to begin with the first one.
// The owner moves to the store that says something new where another one is gone
// or has not heard of it. A grant alone moves nobody: of independent servers, whose
// majority grants, none is special.
func (b *builder) seatOf(w *trace.World, e *trace.Event) int32 {
	if e == nil {
		return int32(slices.IndexFunc(w.Actors, func(a trace.ActorView) bool { return a.Role == trace.RoleStore }))
	}
	last := len(b.seat) - 1
	seat := b.seat[last]
	i, ok := b.actors[e.Actor]
	if !ok || w.Actors[i].Role != trace.RoleStore || seat < 0 {
		return seat
	}
	if passed := b.truth[last] != "" && owners(w) != ""; passed || !live(w.Actors[seat].State) {
		return int32(i)
	}
	return seat
}

// addLanes notes what has changed in the lanes, and returns the actors whose
// claim has come to contradict the store, in order.
func (b *builder) addLanes(w *trace.World, e *trace.Event) (parted []int) {
	for _, i := range b.touched(w, e) {
		now := laneState{b.claim(w, &w.Actors[i]), w.Actors[i].State}
		spans := b.lanes[i]
		if len(spans) > 0 && spans[len(spans)-1].laneState == now {
			continue
		}
		contradicted := len(spans) > 0 && spans[len(spans)-1].claim.contradicts()
		b.lanes[i] = append(spans, laneSpan{int32(w.Step), now})
		switch {
		case now.claim.contradicts() && !contradicted:
			b.contradicting++
			parted = append(parted, i)
		case contradicted && !now.claim.contradicts():
			b.contradicting--
		}
	}
	return parted
}

// touched are the actors whose lanes an event can change, in order: those that
// it names and, if it changes the truth, all that believe something.
func (b *builder) touched(w *trace.World, e *trace.Event) []int {
	var out []int
	if e == nil || len(e.Truths) > 0 {
		for i := range w.Actors {
			if e == nil || len(w.Actors[i].Beliefs) > 0 {
				out = append(out, i)
			}
		}
	}
	if e == nil {
		return out
	}
	if i, ok := b.actors[e.Actor]; ok {
		out = append(out, i)
	}
	for _, belief := range e.Beliefs {
		if i, ok := b.actors[belief.Actor]; ok {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (t *timeline) addGap(step int) {
	if step > 0 && t.gapBefore(step) >= gapShown {
		t.rows = append(t.rows, row{kind: rowGap, step: step})
	}
}

// addParted notes since when belief and truth disagree, with a row for every
// client whose claim has come to contradict the store.
func (b *builder) addParted(step int, parted []int) {
	for _, i := range parted {
		b.rows = append(b.rows, row{kind: rowParted, step: step, item: i})
	}
	since := int32(0)
	switch {
	case b.contradicting == 0:
	case b.contradicting == len(parted):
		since = int32(step)
	default:
		since = b.parted[step-1]
	}
	b.parted = append(b.parted, since)
}

func (t *timeline) addSource(step int, e *trace.Event) {
	last := int32(0)
	switch {
	case e == nil:
	case e.Source.File != "":
		last = int32(step)
	default:
		last = t.source[step-1]
	}
	t.source = append(t.source, last)
}

func (t *timeline) addLeases(e *trace.Event) {
	for _, b := range e.Beliefs {
		t.granted = t.granted || b.Holds
		if i, ok := t.actors[b.Actor]; ok {
			t.leases[i] = append(t.leases[i], leaseSpan{e.Step, e.At, b.Until})
		}
	}
}
