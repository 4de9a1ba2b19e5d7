package engine

// Turn decides whose turn it is in a queue.
type Turn interface {
	// Kinds are the nodes that stand in the queue.
	Kinds() []Kind
	// Next says what a node waits for. passed has the names of nodes that are
	// still there and let others pass, as their data said.
	Next(q []Entry, own int, passed map[string]bool) Step
}

// Step is what to do after a look at the queue. The zero value means that it is
// the node's turn.
type Step struct {
	// WaitFor is the name of the node whose end is waited for.
	WaitFor string
	// MayPass means that this node can come to let others pass, which its data
	// then says.
	MayPass bool
	// AnyChange means to wait for any change of the queue instead.
	AnyChange bool
}

func (s Step) granted() bool { return s.WaitFor == "" && !s.AnyChange }

// Mutex serves nodes one at a time, in order. Each waits for the one right
// before it, so that a release wakes one waiter, and none needlessly. (The
// recipe is ZooKeeper's own: https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_Locks.)
type Mutex struct{}

// Kinds implements [Turn].
func (Mutex) Kinds() []Kind { return []Kind{Exclusive} }

// Next implements [Turn].
func (Mutex) Next(q []Entry, own int, _ map[string]bool) Step {
	if own == 0 {
		return Step{}
	}
	return Step{WaitFor: q[own-1].Name}
}

// Writer waits for everybody before it.
type Writer struct{}

// Kinds implements [Turn].
func (Writer) Kinds() []Kind { return []Kind{Write, Read} }

// Next implements [Turn].
func (Writer) Next(q []Entry, own int, _ map[string]bool) Step {
	return Mutex{}.Next(q, own, nil)
}

// Reader waits for the last writer before it, unless that writer has become a
// reader. It passes other readers.
type Reader struct{}

// Kinds implements [Turn].
func (Reader) Kinds() []Kind { return []Kind{Write, Read} }

// Next implements [Turn].
func (Reader) Next(q []Entry, own int, passed map[string]bool) Step {
	for i := own - 1; i >= 0; i-- {
		if q[i].Kind == Write && !passed[q[i].Name] {
			return Step{WaitFor: q[i].Name, MayPass: true}
		}
	}
	return Step{}
}

// Permits serves as many nodes at a time as there are permits, in order. The
// first of the waiters looks at every change of the queue; the others wait until
// the one before them leaves or is served, which it notes in its data. So a
// permit that becomes free wakes one waiter.
type Permits int

// Kinds implements [Turn].
func (Permits) Kinds() []Kind { return []Kind{Permit} }

// Next implements [Turn].
func (n Permits) Next(q []Entry, own int, _ map[string]bool) Step {
	switch {
	case own < int(n):
		return Step{}
	case own == int(n):
		return Step{AnyChange: true}
	}
	return Step{WaitFor: q[own-1].Name, MayPass: true}
}
