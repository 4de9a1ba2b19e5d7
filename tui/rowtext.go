package tui

import (
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// drawEvent draws what happened in a step over the bars of its row.
func (v *laneView) drawEvent(a cells.Area, step int) {
	if step == 0 {
		v.drawStart(a)
		return
	}
	e := v.line.tr.Event(step)
	from, to, ok := v.ends(e)
	if !departs(e) || !ok {
		v.drawBeside(a, e)
		return
	}
	labels := v.named(e.Actor, v.commands(e.Text))
	if e.Kind == trace.KindExec {
		labels = v.named(e.Peer, []string{e.Reply})
		v.drawNote(a, e, from, from < to)
	}
	v.drawArrow(a, v.newArrow(step, from, to, labels))
}

// drawStart labels the row before the first step.
func (v *laneView) drawStart(a cells.Area) {
	if len(v.set.lanes) > 0 {
		v.drawLaneText(a, 0, 0, []string{v.tr(txtBeginning)}, dim)
	}
}

// drawBeside writes what happened beside the lane of the actor.
func (v *laneView) drawBeside(a cells.Area, e *trace.Event) {
	i, known := v.line.actors[e.Actor]
	if !known {
		sign, look := v.signOf(e)
		v.drawBanner(a, e.Step, sign+" "+v.phrase(e.Text), look|v.labelLook(e.Step))
		return
	}
	if e.State == trace.StateCrashed {
		a.Put(v.set.lanes[v.set.of[i]].x, 0, v.sign.crashed, bad)
	}
	sign, look := v.signOf(e)
	var labels []string
	for _, s := range v.happened(e) {
		labels = append(labels, sign+" "+s)
	}
	v.drawLaneText(a, v.set.of[i], e.Step, v.named(e.Actor, labels), look)
}

// named puts the name of an actor before texts if it shares its lane with others.
func (v *laneView) named(actor string, labels []string) []string {
	if i, known := v.line.actors[actor]; known && v.set.lanes[v.set.of[i]].isGroup() {
		return prefixed(actor+": ", labels)
	}
	return labels
}

// drawLaneText writes a text right of a lane, up to the next one.
func (v *laneView) drawLaneText(a cells.Area, lane, step int, labels []string, look cells.Look) {
	from, to := v.edge(lane, step), a.Width()
	if lane+1 < len(v.set.lanes) {
		to = v.set.lanes[lane+1].x - 1
	}
	a.Put(from, 0, v.choose(to-from, labels...), look|v.labelLook(step))
}

// drawNote writes what an execution changed beside the store, on the side where
// the answer does not go.
func (v *laneView) drawNote(a cells.Area, e *trace.Event, lane int, left bool) {
	labels := v.changesText(e)
	if len(labels) == 0 {
		return
	}
	if !left {
		v.drawLaneText(a, lane, e.Step, prefixed(" ", labels), storeLook)
		return
	}
	if lane == 0 {
		return
	}
	from, to := v.edge(lane-1, e.Step)+1, v.set.lanes[lane].x-1
	text := v.choose(to-from, labels...)
	a.Put(to-cells.Width(text), 0, text, storeLook|v.labelLook(e.Step))
}

func prefixed(prefix string, texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = prefix + s
	}
	return out
}

// labelLook marks the text of a step that the search has found.
func (v *laneView) labelLook(step int) cells.Look {
	if v.hits.has(step) {
		return cells.Underline
	}
	return 0
}

// signOf is the mark of a kind of event.
func (v *laneView) signOf(e *trace.Event) (string, cells.Look) {
	switch e.Kind {
	case trace.KindCall:
		return v.sign.call, plain
	case trace.KindReturn:
		return v.sign.ret, plain
	case trace.KindReceive:
		return v.sign.receive, plain
	case trace.KindLost:
		return v.sign.lost, bad
	case trace.KindExpire:
		return v.sign.expire, storeLook
	case trace.KindFault:
		return v.sign.fault, bad
	case trace.KindResume:
		return v.sign.resume, doubtful
	case trace.KindMoment:
		return v.sign.note, dim
	default:
		return v.sign.note, plain
	}
}

// happened says what happened in a step without an arrow, the longest text
// first.
func (v *laneView) happened(e *trace.Event) []string {
	text := v.phrase(e.Text)
	if e.Kind == trace.KindReceive && e.Reply != "" {
		text = e.Reply
	}
	long, short := v.beliefText(e)
	if long == "" {
		labels := v.commands(text)
		if e.Kind == trace.KindReturn {
			labels = append(labels, brief(text), outcome(brief(text)))
		}
		return labels
	}
	return []string{text + v.sign.separator + long, text + v.sign.separator + short, short}
}

// brief leaves out the reason in the text of an end: "work: skipped" of "work:
// skipped, the lock was not granted".
func brief(text string) string {
	end, _, _ := strings.Cut(strings.ReplaceAll(text, "，", ","), ",")
	return end
}

// outcome is what stands behind the name of the action in the text of its end:
// "not-held" in "release: not-held".
func outcome(text string) string {
	for _, colon := range []string{": ", "："} {
		if _, rest, ok := strings.Cut(text, colon); ok {
			return rest
		}
	}
	return text
}

// beliefText says at two lengths how the belief of the actor has changed in a
// step; it is empty if it has not.
func (s *scene) beliefText(e *trace.Event) (long, short string) {
	for _, b := range e.Beliefs {
		switch {
		case b.Actor != e.Actor:
		case b.Holds:
			return s.tr(txtNowHolds), s.tr(txtHolds)
		default:
			return s.tr(txtHoldsNoMore), s.tr(txtNoMore)
		}
	}
	return "", ""
}

// commands are a text and, for where it must be shorter, the same without the
// name of the lock, which is the same in nearly every step.
func (s *scene) commands(text string) []string {
	out := []string{text}
	if key := s.line.header.Lock; key != "" && strings.Contains(text, key) {
		out = append(out, strings.ReplaceAll(text, key, s.sign.ellipsis))
	}
	return out
}

// changesText says what a step changed in its store.
func (s *scene) changesText(e *trace.Event) []string {
	if len(e.Changes) == 0 {
		return nil
	}
	c := e.Changes[0]
	if c.Deleted {
		return []string{s.trf(txtKeyDeleted, c.Key), s.trf(txtKeyDeleted, s.sign.ellipsis), s.tr(txtDeleted)}
	}
	value, short := c.Key+" = "+c.Value, s.sign.ellipsis+" = "+c.Value // not "= …" alone, which would seem to be of the owner
	if c.Expires > 0 {
		ttl := s.sign.separator + clockText(c.Expires-e.At)
		return []string{value + ttl, short + ttl, short}
	}
	return []string{value, short}
}
