package tui

import (
	"slices"
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

const (
	maxLanes   = 8
	minSlot    = 6 // columns that a lane needs at least
	wideLanes  = 6 // lanes from which on the shared one is twice as wide
	minClients = 2 // clients that keep a lane of their own where lanes are few
)

// lane is a column of the timeline. It stands for one actor, or at the right end
// for all those that have no room.
type lane struct {
	name   string
	actors []int // places in the header
	x      int   // its column
}

func (l *lane) isGroup() bool { return len(l.actors) > 1 }

// laneSet places the actors of a run side by side.
type laneSet struct {
	lanes []lane
	of    []int // the lane of each actor
	truth int   // the lane of the first store, -1 if there is none
}

// layLanes places actors on width columns. The stores stand in the middle of the
// clients, which halves the way of the arrows. Where some have no room, the
// clients from the place first on are shown, and the others share a lane.
func layLanes(actors []trace.Actor, width, first int) laneSet {
	n := min(len(actors), maxLanes, max(width/minSlot, 1))
	set := laneSet{of: make([]int, len(actors)), truth: -1}
	if n == 0 {
		return set
	}
	slot := width / n
	if n < len(actors) && n >= wideLanes {
		n-- // the shared lane takes two places
	}
	folded := fold(actors, len(actors)-n, first)
	for _, a := range laneOrder(actors, folded) {
		if set.truth < 0 && actors[a].Role == trace.RoleStore {
			set.truth = len(set.lanes)
		}
		set.add(lane{name: actors[a].Name, actors: []int{a}}, slot)
	}
	if len(folded) > 0 {
		set.add(lane{name: groupName(actors, folded), actors: folded}, slot)
	}
	return set
}

// add puts a lane right of the others.
func (set *laneSet) add(l lane, slot int) {
	l.x = len(set.lanes) * slot
	for _, a := range l.actors {
		set.of[a] = len(set.lanes)
	}
	set.lanes = append(set.lanes, l)
}

// laneOrder is the first half of the clients, the stores, the resources, the
// other half, all without those that are folded.
func laneOrder(actors []trace.Actor, folded []int) []int {
	var clients, stores, resources []int
	for i, a := range actors {
		if _, drop := slices.BinarySearch(folded, i); drop {
			continue
		}
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

// fold chooses excess actors and one more, which share the last lane, if excess is
// more than 0: clients outside of those that are shown from first on, down to
// minClients, then others down to one, then whoever is last.
func fold(actors []trace.Actor, excess, first int) []int {
	if excess <= 0 {
		return nil
	}
	excess++
	clients := clientsOf(actors)
	shown := min(max(len(clients)-excess, minClients), len(clients))
	first = max(0, min(first, len(clients)-shown))
	folded := append(slices.Clone(clients[:first]), clients[first+shown:]...)
	others := len(actors) - len(clients)
	for i := len(actors) - 1; i >= 0 && len(folded) < excess && others > 1; i-- {
		if actors[i].Role != trace.RoleClient {
			folded = append(folded, i)
			others--
		}
	}
	for i := len(actors) - 1; i >= 0 && len(folded) < excess; i-- {
		if !slices.Contains(folded, i) {
			folded = append(folded, i)
		}
	}
	slices.Sort(folded)
	return folded
}

// clientsOf are the places of the clients.
func clientsOf(actors []trace.Actor) []int {
	var out []int
	for i := range actors {
		if actors[i].Role == trace.RoleClient {
			out = append(out, i)
		}
	}
	return out
}

// groupName names the actors of a shared lane: from the first to the last of them
// if they play one part and nobody of it between them is missing, and otherwise
// how many they are.
func groupName(actors []trace.Actor, group []int) string {
	from, to := group[0], group[len(group)-1]
	role, alike := actors[from].Role, 0
	for i := from; i <= to; i++ {
		if actors[i].Role == role {
			alike++
		}
	}
	other := func(i int) bool { return actors[i].Role != role }
	if alike != len(group) || slices.ContainsFunc(group, other) {
		return "+" + strconv.Itoa(len(group))
	}
	return actors[from].Name + "-" + actors[to].Name
}
