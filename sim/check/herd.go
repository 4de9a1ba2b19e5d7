package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noHerd counts whom the end of a grant wakes. One can get the lock, so more than
// one are woken for nothing.
type noHerd struct {
	base
	lock  string
	woken []string // since the lock last became free
}

func newNoHerd(s Setup) Invariant { return &noHerd{base: base{"no-herd"}, lock: s.Lock} }

func (n *noHerd) Check(_ *trace.World, e *trace.Event) string {
	for _, t := range e.Truths {
		if t.Lock == n.lock {
			n.woken = nil
		}
	}
	if e.Kind != trace.KindReceive || !e.Wake || slices.Contains(n.woken, e.Actor) {
		return ""
	}
	n.woken = append(n.woken, e.Actor)
	if len(n.woken) != 2 {
		return ""
	}
	return fmt.Sprintf("%s are woken, and one of them can get %s", strings.Join(n.woken, " and "), n.lock)
}
