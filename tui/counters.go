package tui

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// counters are what has happened in a run up to each step. What a herd costs is
// seen in numbers, not in lanes.
type counters struct {
	requests []int32   // to stores
	woken    []int32   // clients that a store has told of a change they waited for
	waiting  []int32   // clients that wait at the step
	instants []instant // at which any of these changed, in order
}

// instant is all steps at one virtual time.
type instant struct{ first, last int32 }

// count keeps the counters of the run.
func (t *timeline) count(w *trace.World, e *trace.Event) {
	c := &t.counters
	if e == nil {
		c.requests, c.woken, c.waiting = []int32{0}, []int32{0}, []int32{0}
		return
	}
	requests, woken, waiting := c.requests[w.Step-1], c.woken[w.Step-1], c.waiting[w.Step-1]
	if e.Kind == trace.KindReceive && e.Wake {
		woken++
	}
	if e.Kind == trace.KindSend && t.isStore(e.Peer) {
		requests++
	}
	if e.Asks != nil || e.State != "" || len(e.Sessions) > 0 {
		waiting = int32(len(w.Waiters()))
	}
	changed := requests != c.requests[w.Step-1] || woken != c.woken[w.Step-1] || waiting != c.waiting[w.Step-1]
	c.requests, c.woken, c.waiting = append(c.requests, requests), append(c.woken, woken), append(c.waiting, waiting)
	if changed {
		t.countInstant(int32(w.Step), e.At)
	}
}

// countInstant notes that a counter has changed with a step.
func (t *timeline) countInstant(step int32, at int64) {
	c := &t.counters
	if n := len(c.instants); n == 0 || t.at(int(c.instants[n-1].first)) != at {
		c.instants = append(c.instants, instant{first: step})
	}
	c.instants[len(c.instants)-1].last = step
}

func (t *timeline) isStore(name string) bool {
	i, known := t.actors[name]
	return known && t.header.Actors[i].Role == trace.RoleStore
}

// Columns of the table of counters, in cells.
const (
	countTime   = 11
	countColumn = 9
)

// maxInstants is how many instants the table goes back, so that a frame costs the
// same at the end of a long run.
const maxInstants = 24

// counts is the table of the counters: the totals up to the step, and below them
// what each instant has added, the latest first.
func (s *scene) counts(width int) content {
	c := content{title: s.tr(txtPaneCounters)}
	column := min(countColumn, max(2, (width-countTime)/3))
	row := func(look cells.Look, name string, columns ...string) cells.Line {
		text := s.fit(name, countTime)
		used := cells.Width(text)
		for i, c := range columns {
			c = s.fit(c, column-1)
			end := countTime + (i+1)*column
			text += strings.Repeat(" ", end-used-cells.Width(c)) + c
			used = end
		}
		return cells.Line{{Text: text, Look: look}}
	}
	of := s.line.counters
	c.lines = []cells.Line{
		row(dim, "", s.tr(txtCountRequests), s.tr(txtCountWoken), s.tr(txtCountWaiting)),
		row(cells.Bold, s.tr(txtCountTotal), number(of.requests[s.step]), number(of.woken[s.step]), number(of.waiting[s.step])),
	}
	past := sort.Search(len(of.instants), func(i int) bool { return int(of.instants[i].first) > s.step })
	for _, in := range slices.Backward(of.instants[max(0, past-maxInstants):past]) {
		last := min(int(in.last), s.step)
		look := cells.Look(0)
		if s.line.at(last) == s.world.At {
			look = accent
		}
		c.lines = append(c.lines, row(look, clockText(s.line.at(last)),
			added(of.requests, in, last), added(of.woken, in, last), number(of.waiting[last])))
	}
	return c
}

// added is what the steps of an instant up to one of them have added to a counter.
func added(of []int32, in instant, last int) string {
	if more := of[last] - of[in.first-1]; more > 0 {
		return "+" + number(more)
	}
	return "0"
}

func number(n int32) string { return strconv.Itoa(int(n)) }

// drawCounters shows the counters up to the step at the right end of a row, as far
// as the text on its left leaves room for them. A plus says how much of a counter
// belongs to the instant of the step.
func (s *scene) drawCounters(a cells.Area, used int) {
	of := s.line.counters
	waiting := of.waiting[s.step]
	for _, text := range []string{
		s.trf(txtCounters, s.counter(of.requests), s.counter(of.woken), waiting),
		s.trf(txtCounters, number(of.requests[s.step]), number(of.woken[s.step]), waiting),
		s.trf(txtCountersShort, number(of.requests[s.step]), number(of.woken[s.step]), waiting),
	} {
		if at := a.Width() - cells.Width(text) - 1; at >= used+2 {
			a.Put(at, 0, text, dim)
			return
		}
	}
}

// counter is a counter with what the instant has added to it.
func (s *scene) counter(of []int32) string {
	total := number(of[s.step])
	if s.step == 0 {
		return total
	}
	if more := of[s.step] - of[s.line.tr.StepAt(s.world.At)-1]; more > 0 {
		return total + " +" + number(more)
	}
	return total
}
