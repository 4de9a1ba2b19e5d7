package network

import (
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
)

// Partition cuts two groups of actors off from each other for a time.
type Partition struct {
	A, B        []string
	From, Until time.Duration
	// OneWay cuts only what goes from A to B.
	OneWay bool
}

// cut reports whether a message from one actor to another sent at now is lost.
func (f *Faults) cut(from, to string, now kernel.Time) bool {
	for _, p := range f.Partitions {
		if now < kernel.Time(p.From) || now >= kernel.Time(p.Until) {
			continue
		}
		if slices.Contains(p.A, from) && slices.Contains(p.B, to) {
			return true
		}
		if !p.OneWay && slices.Contains(p.B, from) && slices.Contains(p.A, to) {
			return true
		}
	}
	return false
}

// Cut reports whether a message from one actor to another would be lost now.
// Messages of links obey it by themselves; it is for servers that talk to one
// another.
func (n *Network) Cut(from, to string) bool { return n.faults.cut(from, to, n.k.Now()) }
