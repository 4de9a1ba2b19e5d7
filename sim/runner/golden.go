package runner

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Golden is the terse record of a run that stands in the scenario file: one line
// for an exchange (when the store executes it), one for the end of an action,
// one for everything that happens to somebody. What only repeats the script is
// left out.
func Golden(t *trace.Trace) []string {
	var out []string
	for i := 1; i <= t.Len(); i++ {
		e := t.Event(i)
		if text := golden(e); text != "" {
			out = append(out, strings.TrimRight(fmt.Sprintf("%-10s %s", trace.Instant(e.At), text), " "))
		}
		for _, v := range e.Violations {
			out = append(out, fmt.Sprintf("%-10s !! %s: %s", trace.Instant(e.At), v.Invariant, v.Reason))
		}
	}
	return out
}

func golden(e *trace.Event) string {
	switch e.Kind {
	case trace.KindExec:
		return fmt.Sprintf("%s > %s: %s = %s%s", e.Peer, e.Actor, e.Text, e.Reply, changes(e))
	case trace.KindReceive:
		if e.Reply != "" {
			return "" // the execution shows it already
		}
		return fmt.Sprintf("%s < %s: %s", e.Actor, e.Peer, e.Text)
	case trace.KindSend, trace.KindPush, trace.KindMoment:
		return ""
	case trace.KindCall:
		if e.State == "" {
			return ""
		}
	case trace.KindReturn:
		if strings.HasPrefix(e.Text, "work: ok") {
			return ""
		}
	case trace.KindNote:
		if e.Actor == "" {
			return "" // only its violation matters
		}
	}
	return strings.TrimPrefix(e.Actor+" "+e.Text, " ") + changes(e)
}

// changes is what an event did to the stores.
func changes(e *trace.Event) string {
	var parts []string
	for _, c := range e.Changes {
		switch {
		case c.Store == c.Key: // a resource, whose answer tells the value
		case c.Deleted:
			parts = append(parts, c.Key+" gone")
		case c.Session != "" && c.Expires == 0: // the end of the session is not known beforehand
			parts = append(parts, fmt.Sprintf("%s=%s with the session of %s", c.Key, c.Value, c.Session))
		case c.Expires == 0:
			parts = append(parts, fmt.Sprintf("%s=%s no expiry", c.Key, c.Value))
		default:
			parts = append(parts, fmt.Sprintf("%s=%s until %s", c.Key, c.Value, trace.Instant(c.Expires)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "  | " + strings.Join(parts, ", ")
}
