package tui

import "github.com/lockstep-sim/lockstep/sim/trace"

// leg is the way of one message. What becomes of it is noted at the step in which
// it leaves, and that step at the one in which it arrives.
type leg struct {
	arrives int32 // the step of its arrival or loss; 0 if the run ends before
	lost    bool
	left    int32 // the step in which what arrives here has left; 0 if nothing does
}

// legs finds where the messages of a run end.
func legs(tr *trace.Trace) []leg {
	out := make([]leg, tr.Len()+1)
	open := map[int]int{} // the step at which the current leg of a message began
	for step := 1; step <= tr.Len(); step++ {
		e := tr.Event(step)
		if e.Msg == 0 {
			continue
		}
		if began := open[e.Msg]; began > 0 {
			out[began].arrives, out[began].lost = int32(step), e.Kind == trace.KindLost
			out[step].left = int32(began)
		}
		if departs(e) {
			open[e.Msg] = step
		} else {
			delete(open, e.Msg)
		}
	}
	return out
}

// departs reports whether a message leaves with the event.
func departs(e *trace.Event) bool {
	switch e.Kind {
	case trace.KindSend, trace.KindPush:
		return true
	case trace.KindExec:
		return e.Msg != 0 && e.Peer != ""
	default:
		return false
	}
}

// underWay is how long the message that arrives with a step was under way.
func (t *timeline) underWay(step int) int64 {
	if t.legs[step].left == 0 {
		return 0
	}
	return t.at(step) - t.at(int(t.legs[step].left))
}
