package check

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noLostUpdate compares what a change was computed from with what is overwritten.
type noLostUpdate struct {
	base
	written map[string]string // resource → the value that was accepted last
}

func newNoLostUpdate(Setup) Invariant {
	return &noLostUpdate{base{"no-lost-update"}, map[string]string{}}
}

func (n *noLostUpdate) Check(_ *trace.World, e *trace.Event) string {
	w := e.Write
	if w == nil || !w.Accepted {
		return ""
	}
	before, known := n.written[w.Name]
	n.written[w.Name] = w.Value
	if !known || w.From == "" || w.From == before {
		return ""
	}
	return fmt.Sprintf("%s made %s %s out of %s, and overwrote %s", e.Peer, w.Name, w.Value, w.From, before)
}

// noDuplicates looks at rows that are shown as TABLE#ID.
type noDuplicates struct{ base }

func newNoDuplicates(Setup) Invariant { return noDuplicates{base{"no-duplicates"}} }

func (noDuplicates) Check(w *trace.World, e *trace.Event) string {
	for _, c := range e.Changes {
		table, _, isRow := strings.Cut(c.Key, "#")
		if !isRow || c.Deleted {
			continue
		}
		for id, k := range w.Keys {
			other, _, _ := strings.Cut(id.Key, "#")
			if id.Store == c.Store && other == table && id.Key != c.Key && k.Value == c.Value {
				return fmt.Sprintf("%s holds twice: %s", table, c.Value)
			}
		}
	}
	return ""
}
