package record

import (
	"slices"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// belief is what one client holds of one lock, as far as it knows.
type belief struct {
	proc   *kernel.Process
	key    string
	leases []held // more than one where the client has entered again
	told   trace.Belief
	dead   bool // its process is gone: nobody is left to ask
}

// held is one grant.
type held struct {
	lock.Lease
	shared bool // others may have it too
}

// Hold notes that the client of proc has been granted lease, which others
// may share. The next event of the client carries the change of belief.
func (r *Recorder) Hold(proc *kernel.Process, lease lock.Lease, shared bool) {
	b := r.belief(proc, lease.Key())
	b.leases = append(slices.DeleteFunc(b.leases, func(l held) bool { return l.Err() != nil }), held{lease, shared})
	r.await(b)
	if g, ok := lease.(interface{ OnEnd(func()) }); ok {
		g.OnEnd(func() { r.await(b) })
	}
}

// belief is that of the client of proc in one lock.
func (r *Recorder) belief(proc *kernel.Process, key string) *belief {
	list := r.beliefs[proc.Name()]
	if i := slices.IndexFunc(list, func(b *belief) bool { return b.key == key }); i >= 0 {
		return list[i]
	}
	b := &belief{proc: proc, key: key}
	r.beliefs[proc.Name()] = append(list, b)
	return b
}

// await puts b among those whose change an event has yet to carry.
func (r *Recorder) await(b *belief) {
	if !slices.Contains(r.pending, b) {
		r.pending = append(r.pending, b)
	}
}

// takeBeliefs is how the beliefs of actor differ from what was last recorded.
func (r *Recorder) takeBeliefs(actor string) []trace.Belief {
	var out []trace.Belief
	for _, b := range r.beliefs[actor] {
		now := b.now()
		if now != b.told {
			out = append(out, now)
		}
		b.told = now
	}
	r.pending = slices.DeleteFunc(r.pending, func(b *belief) bool { return b.proc.Name() == actor })
	return out
}

// forget ends the beliefs of a client that exists no more.
func (r *Recorder) forget(actor string) {
	for _, b := range r.beliefs[actor] {
		b.dead = true
	}
}

// now is what the client's own code would answer if asked.
func (b *belief) now() trace.Belief {
	t := trace.Belief{Actor: b.proc.Name(), Lock: b.key}
	lease := b.latest()
	if b.dead || lease.Lease == nil {
		return t
	}
	token, _ := lease.Token()
	t.Holds, t.Owner, t.Token, t.Shared = true, lease.Owner(), uint64(token), b.shared()
	if d := lease.Deadline(); !d.IsZero() {
		t.Until = int64(b.proc.Virtual(d))
	}
	return t
}

// shared reports whether nothing that the client holds keeps others out.
func (b *belief) shared() bool {
	return !slices.ContainsFunc(b.leases, func(l held) bool { return l.Err() == nil && !l.shared })
}

// latest is the last lease that has not ended, as far as the client knows.
func (b *belief) latest() held {
	for _, l := range slices.Backward(b.leases) {
		if l.Err() == nil {
			return l
		}
	}
	return held{}
}

// flush records changes of belief that no event of the client has carried: a
// lease that ran out by its own clock, and one that a renewal has prolonged.
func (r *Recorder) flush() {
	if len(r.pending) > 0 {
		pending := slices.Clone(r.pending)
		slices.SortStableFunc(pending, func(a, b *belief) int { return r.lane(a) - r.lane(b) })
		for _, b := range pending {
			if slices.Contains(r.pending, b) {
				r.Add(trace.Event{Actor: b.proc.Name(), Kind: trace.KindBelief, Text: "its lease is over: " + b.reason()})
			}
		}
	}
	r.amend()
}

// lane is the place of a client among the lanes.
func (r *Recorder) lane(b *belief) int {
	return slices.IndexFunc(r.header.Actors, func(a trace.Actor) bool { return a.Name == b.proc.Name() })
}

// reason is why the last lease has ended.
func (b *belief) reason() string {
	if err := b.leases[len(b.leases)-1].Err(); err != nil {
		return err.Error()
	}
	return "a part of it"
}

// amend adds to the last event what its client has made of it: the answer to a
// renewal is an event of the network, and the client moves its deadline a
// moment later, at the same instant.
func (r *Recorder) amend() {
	if r.sealed || len(r.events) == 0 {
		return
	}
	e := &r.events[len(r.events)-1]
	if e.At != int64(r.k.Now()) || !r.prolonged(e.Actor) {
		return
	}
	for _, changed := range r.takeBeliefs(e.Actor) {
		e.Beliefs = append(e.Beliefs, changed)
		r.world.Believe(changed)
	}
}

// prolonged reports whether actor has a lease that may have changed while
// nothing of it has to be recorded on its own.
func (r *Recorder) prolonged(actor string) bool {
	list := r.beliefs[actor]
	return slices.ContainsFunc(list, func(b *belief) bool { return b.told.Holds }) &&
		!slices.ContainsFunc(list, func(b *belief) bool { return slices.Contains(r.pending, b) })
}
