package tui

import (
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

const (
	maxLanes = 8
	minSlot  = 6 // columns that a lane needs at least
)

// lane is a column of the timeline. It stands for one actor, or at the right end
// for all those that have no room.
type lane struct {
	name   string
	actors []int // places in the header
	x      int   // its column
}

// laneSet places the actors of a run side by side.
type laneSet struct {
	lanes []lane
	of    []int // the lane of each actor
	truth int   // the lane beside which the truth stands, -1 if there is no store
}

// layLanes places actors on width columns. The stores stand in the middle of the
// clients, which halves the way of the arrows.
func layLanes(actors []trace.Actor, width int) laneSet {
	order := laneOrder(actors)
	n := min(len(order), maxLanes, max(width/minSlot, 1))
	set := laneSet{of: make([]int, len(actors)), truth: -1}
	if n == 0 {
		return set
	}
	slot := width / n
	shown, folded := fold(actors, order, n)
	for i, a := range shown {
		set.lanes = append(set.lanes, lane{name: actors[a].Name, actors: []int{a}, x: i * slot})
		set.of[a] = i
		if set.truth < 0 && actors[a].Role == trace.RoleStore {
			set.truth = i
		}
	}
	if len(folded) > 0 {
		set.lanes = append(set.lanes, lane{name: "+" + strconv.Itoa(len(folded)), actors: folded, x: len(shown) * slot})
		for _, a := range folded {
			set.of[a] = len(shown)
		}
	}
	return set
}

// laneOrder is the first half of the clients, the stores, the resources, the
// other half.
func laneOrder(actors []trace.Actor) []int {
	var clients, stores, resources []int
	for i, a := range actors {
		switch a.Role {
		case trace.RoleStore:
			stores = append(stores, i)
		case trace.RoleResource:
			resources = append(resources, i)
		default:
			clients = append(clients, i)
		}
	}
	half := (len(clients) + 1) / 2
	order := append([]int{}, clients[:half]...)
	order = append(append(order, stores...), resources...)
	return append(order, clients[half:]...)
}

// fold splits the order into those that are shown, in their order, and those
// that share the last lane. The last clients are folded first.
func fold(actors []trace.Actor, order []int, n int) (shown, folded []int) {
	excess := len(order) - n
	if excess > 0 {
		excess++ // the shared lane takes a place
	}
	drop := map[int]bool{}
	for i := len(actors) - 1; i >= 0 && len(drop) < excess; i-- {
		if actors[i].Role == trace.RoleClient {
			drop[i] = true
		}
	}
	for i := len(order) - 1; i >= 0 && len(drop) < excess; i-- {
		drop[order[i]] = true
	}
	for _, a := range order {
		if drop[a] {
			folded = append(folded, a)
		} else {
			shown = append(shown, a)
		}
	}
	return shown, folded
}
