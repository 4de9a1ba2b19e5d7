package tui

import "github.com/lockstep-sim/lockstep/sim/trace"

// newTimeline computes the timeline of tr.
func newTimeline(tr *trace.Trace) *timeline {
	h := tr.Header()
	t := &timeline{
		tr: tr, header: h, actors: map[string]int{}, leases: make([][]leaseSpan, len(h.Actors)),
		changed: map[trace.KeyID][]int{},
	}
	for i, a := range h.Actors {
		t.actors[a.Name] = i
	}
	t.legs = legs(tr)
	w := h.Start()
	t.add(&w, nil)
	for step := 1; step <= tr.Len(); step++ {
		e := tr.Event(step)
		w.Apply(e)
		t.add(&w, e)
	}
	return t
}

// add appends the world after a step. Only step 0 has no event.
func (t *timeline) add(w *trace.World, e *trace.Event) {
	step := w.Step
	t.truth = append(t.truth, owners(w))
	for i := range w.Actors {
		t.lanes = append(t.lanes, laneState{t.claim(w, &w.Actors[i]), w.Actors[i].State})
	}
	t.addGap(step)
	t.rowOf = append(t.rowOf, len(t.rows))
	t.rows = append(t.rows, row{kind: rowEvent, step: step})
	t.addParted(step)
	t.addSource(step, e)
	if e == nil {
		return
	}
	for i := range e.Violations {
		t.rows = append(t.rows, row{kind: rowBroken, step: step, item: i})
	}
	t.addLeases(e)
	for _, c := range e.Changes {
		id := trace.KeyID{Store: c.Store, Key: c.Key}
		t.changed[id] = append(t.changed[id], step)
	}
}

func (t *timeline) addGap(step int) {
	if step > 0 && t.gapBefore(step) >= gapShown {
		t.rows = append(t.rows, row{kind: rowGap, step: step})
	}
}

// addParted notes since when belief and truth disagree, with a row for every
// client whose claim has come to contradict the store.
func (t *timeline) addParted(step int) {
	since := int32(0)
	for i := range t.header.Actors {
		if !t.lane(step, i).claim.contradicts() {
			continue
		}
		if step > 0 && t.lane(step-1, i).claim.contradicts() {
			since = t.parted[step-1]
			continue
		}
		t.rows = append(t.rows, row{kind: rowParted, step: step, item: i})
		if since == 0 {
			since = int32(step)
		}
	}
	t.parted = append(t.parted, since)
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
		if i, ok := t.actors[b.Actor]; ok {
			t.leases[i] = append(t.leases[i], leaseSpan{e.Step, e.At, b.Until})
		}
	}
}
