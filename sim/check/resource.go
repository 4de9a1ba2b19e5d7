package check

import (
	"fmt"
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noStaleWrite orders grants by when the store made them, and accepted writes
// by when the resource made them. The second order must not contradict the
// first.
type noStaleWrite struct {
	base
	order   map[string]int    // grant → its place in the order of grants
	owner   map[string]string // grant → client
	written map[string]string // resource → the latest grant that has written
}

func newNoStaleWrite(Setup) Invariant {
	return &noStaleWrite{
		base:  base{"no-stale-write"},
		order: map[string]int{}, owner: map[string]string{}, written: map[string]string{},
	}
}

func (n *noStaleWrite) Check(_ *trace.World, e *trace.Event) string {
	for _, t := range e.Truths {
		if _, known := n.order[t.Grant]; !known && t.Grant != "" {
			n.order[t.Grant], n.owner[t.Grant] = len(n.order)+1, t.Owner
		}
	}
	w := e.Write
	if w == nil || !w.Accepted || w.Grant == "" {
		return ""
	}
	latest := n.written[w.Name]
	if n.order[w.Grant] < n.order[latest] {
		return fmt.Sprintf("%s overwrote %s: its grant is older than that of %s, which has written already",
			e.Peer, w.Name, n.owner[latest])
	}
	n.written[w.Name] = w.Grant
	return ""
}

// noOversell watches the lower bounds of resources.
type noOversell struct {
	base
	min map[string]int
}

func newNoOversell(s Setup) Invariant { return &noOversell{base{"no-oversell"}, s.Min} }

func (n *noOversell) Check(_ *trace.World, e *trace.Event) string {
	if e.Write == nil || !e.Write.Accepted {
		return ""
	}
	least, bounded := n.min[e.Write.Name]
	value, err := strconv.Atoi(e.Write.Value)
	if !bounded || err != nil || value >= least {
		return ""
	}
	return fmt.Sprintf("%s is %d, below %d", e.Write.Name, value, least)
}
