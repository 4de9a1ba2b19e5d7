package tui

import (
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// drawDetail writes the step under the cursor in full, over as many rows as
// there are.
func (s *scene) drawDetail(a cells.Area) {
	lines := cells.Wrap(s.detail(), a.Width()-2)
	for y := range a.Height() {
		if y >= len(lines) {
			break
		}
		line := lines[y]
		if y == a.Height()-1 && y+1 < len(lines) {
			line = append(append(line, cells.Span{Text: " "}), lines[y+1]...)
		}
		a.PutLine(1, y, line.Fit(a.Width()-2, s.sign.ellipsis))
	}
}

// detail is one step in words.
func (s *scene) detail() cells.Line {
	e := s.event()
	if e == nil {
		return cells.Line{{Text: s.tr(txtBeforeFirst), Look: dim}}
	}
	l := cells.Line{{Text: strconv.Itoa(e.Step) + " ", Look: dim}}
	l = append(l, s.who(e), cells.Span{Text: s.what(e), Look: plain})
	if belief, _ := s.beliefText(e); belief != "" {
		l = append(l, cells.Span{Text: s.sign.separator + belief, Look: good})
	}
	if since := s.line.underWay(e.Step); since >= gapShown {
		l = append(l, cells.Span{Text: s.sign.separator + s.trf(txtUnderWay, clockText(since)), Look: doubtful})
	}
	for _, v := range e.Violations {
		l = append(l, cells.Span{Text: s.sign.separator + s.sign.no + " " + s.invariant(v.Invariant), Look: bad})
	}
	return l
}

// who is the actor of an event, with the way of its message.
func (s *scene) who(e *trace.Event) cells.Span {
	text := e.Actor
	switch e.Kind {
	case trace.KindSend, trace.KindPush, trace.KindLost:
		text += " " + s.sign.to + " " + e.Peer
	case trace.KindReceive:
		text += " " + s.sign.from + " " + e.Peer
	case trace.KindExec:
		if e.Peer != "" {
			text += " (" + e.Peer + ")"
		}
	}
	if text != "" {
		text += ": "
	}
	return cells.Span{Text: text, Look: title}
}

// what is what happened, with the answer.
func (s *scene) what(e *trace.Event) string {
	text := s.phrase(e.Text)
	if e.Reply != "" {
		if text == "" {
			return e.Reply
		}
		text += " " + s.sign.to + " " + e.Reply
	}
	return text
}
