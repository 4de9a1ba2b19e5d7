package transcript

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// sentence is what happened in a step.
func (t *transcript) sentence(e *trace.Event) string {
	w := t.words
	switch e.Kind {
	case trace.KindCall:
		return fmt.Sprintf(w.call, e.Actor, e.Text)
	case trace.KindReturn:
		return fmt.Sprintf(w.plain, e.Actor, t.said(e.Text)) + t.returned(e)
	case trace.KindSend:
		return fmt.Sprintf(w.send, e.Actor, e.Peer, e.Text) + source(e)
	case trace.KindExec:
		return fmt.Sprintf(w.exec, e.Actor, e.Peer, e.Text, e.Reply)
	case trace.KindReceive:
		return t.received(e)
	case trace.KindPush:
		return fmt.Sprintf(w.push, e.Actor, e.Peer, t.said(e.Text))
	case trace.KindLost:
		return fmt.Sprintf(w.lost, e.Actor, e.Peer, t.said(e.Text))
	case trace.KindFault:
		if e.Actor == "" { // it befalls several
			return fmt.Sprintf(w.outage, t.said(e.Text))
		}
		return fmt.Sprintf(w.fault, e.Actor, t.said(e.Text))
	}
	if e.Actor == "" {
		return t.said(e.Text)
	}
	return fmt.Sprintf(w.plain, e.Actor, t.said(e.Text))
}

// returned is the error with which an action ended, as the code gave it.
func (t *transcript) returned(e *trace.Event) string {
	if e.Reply == "" {
		return ""
	}
	return fmt.Sprintf(t.words.err, e.Reply)
}

func (t *transcript) received(e *trace.Event) string {
	if e.Reply == "" {
		return fmt.Sprintf(t.words.receive, e.Actor, e.Peer, t.said(e.Text))
	}
	command, _, _ := strings.Cut(e.Text, " ")
	return fmt.Sprintf(t.words.answer, e.Actor, e.Peer, command, e.Reply)
}

// source is the line of impl/ that sends.
func source(e *trace.Event) string {
	if e.Source.File == "" {
		return ""
	}
	return fmt.Sprintf("  [%s:%d]", e.Source.File, e.Source.Line)
}
