package tui

import (
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// hits are the steps that a search has found, in order.
type hits []int

// find looks for the words of a query, in any order and in any case, in what the
// events of a run say, as recorded and as shown in a language. An empty query
// finds nothing.
func find(run *loaded, lang Lang, query string) hits {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	var out hits
	say := func(text string) string { return run.phrase(lang, text) }
	for step := 1; step <= run.Trace.Len(); step++ {
		if matches(searched(run.Trace.Event(step), say), words) {
			out = append(out, step)
		}
	}
	return out
}

// searched is the text of an event that a search looks at.
func searched(e *trace.Event, say func(string) string) string {
	text := e.Actor + " " + string(e.Kind) + " " + e.Text + " " + say(e.Text) + " " + e.Reply + " " + e.Peer
	for _, v := range e.Violations {
		text += " " + v.Invariant + " " + v.Reason + " " + say(v.Reason)
	}
	return text
}

// matches reports whether text contains all words, which are in lower case.
func matches(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// has reports whether a step was found.
func (h hits) has(step int) bool {
	_, ok := slices.BinarySearch(h, step)
	return ok
}

// next is the nearest hit after step, or before it, going round at the ends; -1
// without hits.
func (h hits) next(step, direction int) int {
	if len(h) == 0 {
		return -1
	}
	if direction > 0 {
		i, _ := slices.BinarySearch(h, step+1)
		return h[i%len(h)]
	}
	i, _ := slices.BinarySearch(h, step)
	return h[(i-1+len(h))%len(h)]
}
