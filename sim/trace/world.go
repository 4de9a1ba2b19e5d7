package trace

import (
	"cmp"
	"maps"
	"slices"
)

// World is the state of everything after one step.
type World struct {
	Step       int
	At         int64
	Actors     []ActorView // in the order of the header
	Keys       map[KeyID]KeyChange
	Truth      map[string]Truth // by lock
	Watches    map[WatchID]WatchChange
	Sessions   map[SessionID]SessionChange
	InFlight   []Message       // requests and answers on their way, oldest first
	Violations []StepViolation // everything found broken so far
}

// KeyID names a key of a store.
type KeyID struct{ Store, Key string }

// WatchID is one client's watch of one key.
type WatchID struct{ Store, Actor, Key string }

// SessionID names a session of a store.
type SessionID struct{ Store, Name string }

// ActorView is one actor after a step.
type ActorView struct {
	Actor
	State   ActorState
	Doing   string
	Asks    string   // the lock that it asks for and waits for, or empty
	Beliefs []Belief // the locks that it believes it holds, by name
}

// Message is an exchange that is under way.
type Message struct {
	ID       int
	From, To string
	Text     string
	SentAt   int64
	Answer   bool // on its way back
}

// Actor finds an actor by name.
func (w *World) Actor(name string) (*ActorView, bool) {
	for i := range w.Actors {
		if w.Actors[i].Name == name {
			return &w.Actors[i], true
		}
	}
	return nil, false
}

// Believers names the actors that believe they hold lock, in lane order.
func (w *World) Believers(lock string) []string {
	var out []string
	for i := range w.Actors {
		if _, ok := w.Actors[i].Belief(lock); ok {
			out = append(out, w.Actors[i].Name)
		}
	}
	return out
}

// Waiters names the clients that live and wait, in lane order: for a lock that
// they have asked for or, in a session of a store, for a row or a connection.
func (w *World) Waiters() []string {
	inStore := map[string]bool{}
	for _, s := range w.Sessions {
		if s.Waits != "" {
			inStore[s.Actor] = true
		}
	}
	var out []string
	for i := range w.Actors {
		if a := &w.Actors[i]; a.Role == RoleClient && !a.Gone() && (a.Asks != "" || inStore[a.Name]) {
			out = append(out, a.Name)
		}
	}
	return out
}

// Gone reports whether its process has ended.
func (a *ActorView) Gone() bool { return a.State == StateCrashed || a.State == StateExited }

// Belief is the belief that this actor holds lock.
func (a *ActorView) Belief(lock string) (Belief, bool) {
	for _, b := range a.Beliefs {
		if b.Lock == lock {
			return b, true
		}
	}
	return Belief{}, false
}

// KeysOf lists the keys of one store by name.
func (w *World) KeysOf(store string) []KeyChange {
	var out []KeyChange
	for id, k := range w.Keys {
		if id.Store == store {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b KeyChange) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

func (w *World) clone() World {
	c := *w
	c.Actors = slices.Clone(w.Actors)
	for i := range c.Actors {
		c.Actors[i].Beliefs = slices.Clone(c.Actors[i].Beliefs)
	}
	c.Keys = maps.Clone(w.Keys)
	c.Truth = maps.Clone(w.Truth)
	c.Watches = maps.Clone(w.Watches)
	c.Sessions = maps.Clone(w.Sessions)
	c.InFlight = slices.Clone(w.InFlight)
	c.Violations = slices.Clone(w.Violations)
	return c
}

// Apply makes w the world after e, which must be the event of the next step.
func (w *World) Apply(e *Event) {
	w.Step, w.At = e.Step, e.At
	if a, ok := w.Actor(e.Actor); ok {
		if e.State != "" {
			a.State = e.State
		}
		if e.Doing != nil {
			a.Doing = *e.Doing
		}
	}
	if e.Asks != nil {
		w.Ask(e.Actor, *e.Asks)
	}
	for _, c := range e.Changes {
		if c.Deleted {
			delete(w.Keys, KeyID{c.Store, c.Key})
		} else {
			w.Keys[KeyID{c.Store, c.Key}] = c
		}
	}
	for _, b := range e.Beliefs {
		w.Believe(b)
	}
	for _, t := range e.Truths {
		w.Truth[t.Lock] = t
	}
	w.follow(e)
	for _, v := range e.Violations {
		w.Violations = append(w.Violations, StepViolation{Violation: v, Step: e.Step, At: e.At})
	}
	w.move(e)
}

// follow keeps the watches and the sessions.
func (w *World) follow(e *Event) {
	for _, c := range e.Watches {
		id := WatchID{c.Store, c.Actor, c.Key}
		if c.Gone {
			delete(w.Watches, id)
		} else {
			w.Watches[id] = c
		}
	}
	for _, c := range e.Sessions {
		id := SessionID{c.Store, c.Name}
		if c.Gone {
			delete(w.Sessions, id)
		} else {
			w.Sessions[id] = c
		}
	}
}

// Watchers names the clients that watch a key, in lane order.
func (w *World) Watchers(store, key string) []string {
	var out []string
	for i := range w.Actors {
		if _, ok := w.Watches[WatchID{store, w.Actors[i].Name, key}]; ok {
			out = append(out, w.Actors[i].Name)
		}
	}
	return out
}

// SessionsOf lists the sessions of one store by name.
func (w *World) SessionsOf(store string) []SessionChange {
	var out []SessionChange
	for id, s := range w.Sessions {
		if id.Store == store {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b SessionChange) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Ask makes w know which lock an actor asks for; none if it is empty.
func (w *World) Ask(actor, lock string) {
	if a, ok := w.Actor(actor); ok {
		a.Asks = lock
	}
}

// Believe makes w know what an actor believes.
func (w *World) Believe(b Belief) {
	a, ok := w.Actor(b.Actor)
	if !ok {
		return
	}
	a.Beliefs = slices.DeleteFunc(a.Beliefs, func(o Belief) bool { return o.Lock == b.Lock })
	if b.Holds {
		a.Beliefs = append(a.Beliefs, b)
		slices.SortFunc(a.Beliefs, func(x, y Belief) int { return cmp.Compare(x.Lock, y.Lock) })
	}
}

// move keeps the list of messages under way.
func (w *World) move(e *Event) {
	if e.Msg == 0 {
		return
	}
	switch e.Kind {
	case KindSend, KindPush:
		w.InFlight = append(w.InFlight, Message{
			ID: e.Msg, From: e.Actor, To: e.Peer, Text: e.Text, SentAt: e.At, Answer: e.Kind == KindPush,
		})
	case KindExec:
		for i := range w.InFlight {
			if m := &w.InFlight[i]; m.ID == e.Msg {
				*m = Message{ID: e.Msg, From: e.Actor, To: e.Peer, Text: e.Reply, SentAt: e.At, Answer: true}
			}
		}
	case KindReceive, KindLost:
		w.InFlight = slices.DeleteFunc(w.InFlight, func(m Message) bool { return m.ID == e.Msg })
	}
}
