package consul

import (
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

const (
	// graveTTL is how long the real server remembers a deletion.
	graveTTL = 15 * time.Minute
	// minSweep is the number of graves below which none is cleared.
	minSweep = 1024
)

// graveyard remembers at which index keys were deleted, so that the index of a
// list does not go backwards when its youngest key is deleted.
type graveyard struct {
	clk     clock.Clock
	graves  map[string]grave
	sweepAt int
}

type grave struct {
	index uint64
	at    time.Time
}

func newGraveyard(clk clock.Clock) graveyard {
	return graveyard{clk: clk, graves: make(map[string]grave), sweepAt: minSweep}
}

// bury records the deletion of key. Old graves are cleared whenever their
// number has doubled, which keeps the cost of a deletion constant on average.
func (g *graveyard) bury(key string, index uint64) {
	g.graves[key] = grave{index: index, at: g.clk.Now()}
	if len(g.graves) < g.sweepAt {
		return
	}
	for k, v := range g.graves {
		if g.forgotten(v) {
			delete(g.graves, k)
		}
	}
	g.sweepAt = max(minSweep, 2*len(g.graves))
}

// index is the index of the last remembered deletion below prefix, or zero.
func (g *graveyard) index(prefix string) uint64 {
	var last uint64
	for key, v := range g.graves {
		if strings.HasPrefix(key, prefix) && !g.forgotten(v) {
			last = max(last, v.index)
		}
	}
	return last
}

func (g *graveyard) forgotten(v grave) bool { return g.clk.Now().Sub(v.at) > graveTTL }
