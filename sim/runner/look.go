package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// look finds what a run shows for the subject of an expectation.
func (x *execution) look(t *trace.Trace, s *script.Subject) observed {
	switch s.Name {
	case "step":
		return x.lookAtStep(t, s)
	case "sends":
		return lookAtSends(t, s)
	case "token":
		return x.lookAtToken(s)
	case "wakeups":
		return x.count(t, s, func(e *trace.Event) bool { return e.Kind == trace.KindReceive && e.Wake })
	case "requests":
		return x.count(t, s, x.isRequest)
	case "hand-off":
		return x.handOff(t, s)
	case "violation":
		for _, v := range t.Violations() {
			if v.Invariant == s.Arg {
				return instant(v.At)
			}
		}
		return word("none")
	}
	w := x.world(t, s.At)
	switch s.Name {
	case "waiting":
		return number(int64(len(w.Waiters())))
	case "owner":
		if o := w.Truth[x.sc.Lock()].Owner; o != "" {
			return word(o)
		}
		return word("none")
	case "believers":
		return list(w.Believers(x.sc.Lock()))
	case "value":
		return x.lookAtValue(&w, s.Arg)
	case "ttl":
		return x.lookAtTTL(&w, s.At)
	}
	panic(fmt.Sprintf("unchecked subject %q", s.Name))
}

// count counts the events of one client or all that are like wanted, in the
// time that s says.
func (x *execution) count(t *trace.Trace, s *script.Subject, wanted func(*trace.Event) bool) observed {
	from, to := x.span(t, s)
	n := int64(0)
	for i := t.StepAt(from); i <= t.Len() && i > 0; i++ {
		e := t.Event(i)
		if e.At >= from && e.At < to && (s.Actor == "" || s.Actor == e.Actor) && wanted(e) {
			n++
		}
	}
	return number(n)
}

// span is the time that s says, up to but without the second instant.
func (x *execution) span(t *trace.Trace, s *script.Subject) (from, to int64) {
	if s.At == nil {
		return int64(x.duration(*s.From)), t.Header().End + 1
	}
	return int64(x.duration(*s.From)), int64(x.duration(*s.At))
}

// isRequest reports whether a client sends something to a store.
func (x *execution) isRequest(e *trace.Event) bool {
	return e.Kind == trace.KindSend && slices.Contains(x.nodes, e.Peer) && !slices.Contains(x.nodes, e.Actor)
}

// world is the state at an instant: after everything that happened then.
func (x *execution) world(t *trace.Trace, at *script.Value) trace.World {
	if at == nil {
		return t.At(t.Len())
	}
	return t.At(t.StepBefore(int64(x.duration(*at))))
}

func (x *execution) lookAtValue(w *trace.World, name string) observed {
	where := name
	if !x.ownResources() {
		where = x.nodes[0]
	}
	return word(w.Keys[trace.KeyID{Store: where, Key: name}].Value)
}

// lookAtTTL is what is left of the lock's time to live at an instant.
func (x *execution) lookAtTTL(w *trace.World, at *script.Value) observed {
	k, exists := w.Keys[trace.KeyID{Store: x.nodes[0], Key: x.sc.Lock()}]
	switch {
	case !exists:
		return word("gone")
	case k.Expires == 0:
		return word("none")
	case at == nil:
		return instant(k.Expires - w.At)
	}
	return instant(k.Expires - int64(x.duration(*at)))
}

// step is the Nth step of a client with a verb, or nil if it did not get there.
func (x *execution) step(s *script.Subject) *stepResult {
	seen := 0
	for _, c := range x.clients {
		if c.name != s.Actor {
			continue
		}
		for _, r := range c.results {
			if r.verb != s.Verb {
				continue
			}
			if seen++; seen == s.Nth {
				return r
			}
		}
	}
	return nil
}

func (x *execution) lookAtStep(t *trace.Trace, s *script.Subject) observed {
	r := x.step(s)
	if r == nil {
		return word("waiting") // an earlier step has not ended
	}
	start := t.Event(r.first).At
	switch s.Field {
	case "":
		return word(r.outcome)
	case "start":
		return instant(start)
	case "reply":
		return word(reply(t, s.Actor, r))
	}
	if r.last == 0 {
		return word("none")
	}
	end := t.Event(r.last).At
	if s.Field == "took" {
		return instant(end - start)
	}
	return instant(end)
}

// reply is the last answer that the client got during a step.
func reply(t *trace.Trace, actor string, r *stepResult) string {
	last := r.last
	if last == 0 {
		last = t.Len()
	}
	for i := last; i >= r.first; i-- {
		if e := t.Event(i); e.Actor == actor && e.Kind == trace.KindReceive && e.Reply != "" {
			return e.Reply
		}
	}
	return "none"
}

func lookAtSends(t *trace.Trace, s *script.Subject) observed {
	var at []int64
	answer := "none"
	for i := 1; i <= t.Len(); i++ {
		e := t.Event(i)
		command, _, _ := strings.Cut(e.Text, " ")
		if e.Actor != s.Actor || command != s.Arg {
			continue
		}
		switch e.Kind {
		case trace.KindSend:
			at = append(at, e.At)
		case trace.KindReceive:
			answer = e.Reply
		}
	}
	switch s.Field {
	case "at":
		return instants(at)
	case "reply":
		return word(answer)
	}
	return number(int64(len(at)))
}

func (x *execution) lookAtToken(s *script.Subject) observed {
	seen := 0
	for _, c := range x.clients {
		for _, r := range c.results {
			if c.name != s.Actor || r.lease == nil {
				continue
			}
			if seen++; seen == s.Nth {
				if token, ok := r.lease.Token(); ok {
					return number(int64(token))
				}
				return word("none")
			}
		}
	}
	return word("none")
}
