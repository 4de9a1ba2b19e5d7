package transcript

import (
	"fmt"

	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// details are the lines below a step: what changed in the store, who owns the
// lock, who believes it, and which invariants broke.
func (t *transcript) details(e *trace.Event) []string {
	var out []string
	for _, c := range e.Changes {
		out = append(out, t.change(c))
	}
	for _, truth := range e.Truths {
		if truth.Owner == "" {
			out = append(out, fmt.Sprintf(t.words.free, e.Actor, truth.Lock))
		} else {
			out = append(out, fmt.Sprintf(t.words.owned, e.Actor, truth.Lock, truth.Owner))
		}
	}
	for _, b := range e.Beliefs {
		out = append(out, t.belief(b))
	}
	for _, v := range e.Violations {
		out = append(out, t.violation(v))
	}
	return out
}

func (t *transcript) change(c trace.KeyChange) string {
	switch {
	case c.Deleted:
		return fmt.Sprintf(t.words.gone, c.Store, c.Key)
	case c.Store == c.Key: // a resource, whose only key is itself
		return fmt.Sprintf(t.words.value, c.Key, c.Value)
	case c.Expires == 0 && c.Session != "":
		return fmt.Sprintf(t.words.session, c.Store, c.Key, c.Value, c.Session)
	case c.Expires == 0:
		return fmt.Sprintf(t.words.endless, c.Store, c.Key, c.Value)
	}
	return fmt.Sprintf(t.words.until, c.Store, c.Key, c.Value, trace.Instant(c.Expires))
}

func (t *transcript) belief(b trace.Belief) string {
	switch {
	case !b.Holds:
		return fmt.Sprintf(t.words.holdsNot, b.Actor, b.Lock)
	case b.Until == 0:
		return fmt.Sprintf(t.words.holds, b.Actor, b.Lock)
	}
	return fmt.Sprintf(t.words.holdsUntil, b.Actor, b.Lock, trace.Instant(b.Until))
}

func (t *transcript) violation(v trace.Violation) string {
	name := v.Invariant
	if title := lessons.Invariant(name, t.opts.Lang); t.opts.Lang != lessons.English {
		name = title + "（" + name + "）"
	}
	return fmt.Sprintf(t.words.violation, name, t.said(v.Reason))
}
