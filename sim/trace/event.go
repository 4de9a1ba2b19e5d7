// Package trace is the immutable record of one run of the simulator: what
// happened, in order, and what the world looked like after every step.
//
// What belongs here: the event types, the record, the reconstruction of the
// world at any step and the JSON form. What does not: producing events (the
// simulator does) and showing them (the terminal and the command line do). The
// package imports nothing of this project, so that every other one may use it.
package trace

import "strconv"

// Kind says what sort of thing happened in one step.
type Kind string

// The kinds of events.
const (
	// KindCall: a client starts an action of its script; Text is the action.
	KindCall Kind = "call"
	// KindReturn: the action has ended; Text is its outcome.
	KindReturn Kind = "return"
	// KindSend: a request leaves Actor for Peer.
	KindSend Kind = "send"
	// KindExec: a store or resource (Actor) executes a request that came from
	// Peer, and sends its answer; both belong to the message id.
	KindExec Kind = "exec"
	// KindReceive: the answer, or a pushed message, reaches Actor from Peer.
	KindReceive Kind = "recv"
	// KindPush: a store sends Peer something unasked, such as a notification.
	KindPush Kind = "push"
	// KindLost: a message that belongs to Actor does not arrive at Peer.
	KindLost Kind = "lost"
	// KindExpire: a store removes a key because its time ran out.
	KindExpire Kind = "expire"
	// KindFault: something is done to Actor: a crash, a pause, a clock jump.
	KindFault Kind = "fault"
	// KindResume: Actor runs again after a pause.
	KindResume Kind = "resume"
	// KindBelief: what Actor believes changed without any message.
	KindBelief Kind = "belief"
	// KindNote: something worth seeing that is none of the others, such as an
	// invariant found broken at the end of the run.
	KindNote Kind = "note"
	// KindMoment: nothing happens, but a mark names the instant.
	KindMoment Kind = "moment"
)

// Role is the part that an actor plays.
type Role string

// The roles of actors.
const (
	RoleClient   Role = "client"
	RoleStore    Role = "store"
	RoleResource Role = "resource"
)

// Actor is one lane of the timeline.
type Actor struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// Source is a position in a file of this module, such as
// impl/redislock/release.go:42. The zero value means that none is known.
type Source struct {
	File string
	Line int
}

// String is FILE:LINE, or empty where no position is known.
func (s Source) String() string {
	if s.File == "" {
		return ""
	}
	return s.File + ":" + strconv.Itoa(s.Line)
}

// MarshalText gives the form of String to JSON.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Event is one step of a run. Steps are numbered from 1; step 0 is the world
// before anything has happened.
type Event struct {
	Step  int    `json:"step"`
	At    int64  `json:"at_ns"` // virtual time, nanoseconds from the start of the run
	Actor string `json:"actor,omitempty"`
	Kind  Kind   `json:"kind"`
	Text  string `json:"text"` // one line, terse: "SET lock:order:1 A#1 NX PX 300"
	// Reply is the answer (KindExec and KindReceive), "OK", "(nil)", "1", or the
	// error that an action returned (KindReturn).
	Reply string `json:"reply,omitempty"`
	// Outcome is how an action has ended (KindReturn), in one word: ok,
	// not-acquired, sold-out, deadlock.
	Outcome string `json:"outcome,omitempty"`

	Peer string `json:"peer,omitempty"` // the other end of a message
	// Msg is the exchange it belongs to: request, execution, answer; 0 if none.
	Msg int `json:"msg,omitempty"`

	Source Source `json:"source,omitzero"` // what was executing

	State ActorState `json:"state,omitempty"` // the new state of Actor, or empty if unchanged
	// Doing is the action that Actor is in the middle of, if that changed; the
	// empty string means none.
	Doing *string `json:"doing,omitempty"`
	// Asks is the lock that Actor has begun to ask for, waiting until it is granted,
	// if that changed; the empty string means that the asking has ended.
	Asks       *string     `json:"asks,omitempty"`
	Write      *Write      `json:"write,omitempty"`      // a write that reached a resource
	Changes    []KeyChange `json:"changes,omitempty"`    // store keys that changed
	Beliefs    []Belief    `json:"beliefs,omitempty"`    // clients whose belief changed
	Truths     []Truth     `json:"truths,omitempty"`     // locks whose real owner changed
	Violations []Violation `json:"violations,omitempty"` // invariants broken by this step

	// Wake tells that this message wakes a client that waited for a change: a
	// notification, or the answer to a query that blocked until then.
	Wake     bool            `json:"wake,omitempty"`
	Watches  []WatchChange   `json:"watches,omitempty"`  // who watches what, where that changed
	Sessions []SessionChange `json:"sessions,omitempty"` // sessions of a store that changed
}

// ActorState is whether an actor runs.
type ActorState string

// The states of actors.
const (
	StateRunning ActorState = "running"
	StatePaused  ActorState = "paused"
	StateCrashed ActorState = "crashed"
	StateExited  ActorState = "exited" // its script ended and its process with it
	StateDone    ActorState = "done"   // its script ended; its process lives on
)

// KeyChange is the new content of one key of a store, or its removal.
type KeyChange struct {
	Store   string `json:"store"`
	Key     string `json:"key"`
	Value   string `json:"value,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Expires is the virtual time at which the key ends; 0 means never.
	Expires int64 `json:"expires_ns,omitempty"`
	// TTL is the full time to live that was set last; 0 means none. The bar of
	// a lease drains from TTL to nothing at Expires.
	TTL int64 `json:"ttl_ns,omitempty"`
	// Session is the client with whose session or lease the key ends, if it ends
	// with one.
	Session string `json:"session,omitempty"`
}

// WatchChange is a client that has begun, or ceased, to watch a key of a store.
type WatchChange struct {
	Store string `json:"store"`
	Actor string `json:"actor"` // the client that watches
	Key   string `json:"key"`
	Gone  bool   `json:"gone,omitempty"`
}

// SessionChange is the new state of one session of a store, or its end: a
// connection to a database with its transaction, or a session of ZooKeeper or
// Consul.
type SessionChange struct {
	Store string `json:"store"`
	Name  string `json:"name"` // such as A, or A/2 for the second one of a client
	Actor string `json:"actor"`
	// State is one word or two for what it is doing: idle, in transaction,
	// waiting, aborted, connected, disconnected.
	State string `json:"state,omitempty"`
	// Sees is what its snapshot shows of the rows in question, in one line.
	Sees string `json:"sees,omitempty"`
	// Holds are the locks that it holds in the store, in the order of granting.
	Holds []string `json:"holds,omitempty"`
	// Waits is the lock that it waits for, and For names the sessions in its way.
	Waits string   `json:"waits,omitempty"`
	For   []string `json:"for,omitempty"`
	Gone  bool     `json:"gone,omitempty"`
}

// Belief is what a client would answer to "do you hold this lock?".
type Belief struct {
	Actor string `json:"actor"`
	Lock  string `json:"lock"`
	Holds bool   `json:"holds"`
	Owner string `json:"owner,omitempty"` // the identity of the grant
	// Shared tells that others may hold it too: a reader, or one permit of several.
	Shared bool `json:"shared,omitempty"`
	// Token is the fencing token of the grant; 0 means none.
	Token uint64 `json:"token,omitempty"`
	// Until is the client's own deadline in virtual time; 0 means none.
	Until int64 `json:"until_ns,omitempty"`
}

// Write is an attempt to change a protected resource.
type Write struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// From is the value that the writer had read and computed the new one from,
	// where that is known.
	From string `json:"from,omitempty"`
	// Grant is the identity of the lease under which the writer acts, and Token
	// its fencing token; both are empty where it has none.
	Grant    string `json:"grant,omitempty"`
	Token    uint64 `json:"token,omitempty"`
	Accepted bool   `json:"accepted"`
}

// Truth is who owns a lock in the store. Owner is the name of an actor, or empty
// when the lock is free.
type Truth struct {
	Lock  string `json:"lock"`
	Owner string `json:"owner"`
	Grant string `json:"grant,omitempty"` // the identity of the grant
}

// Violation is an invariant found broken at the step that carries it.
type Violation struct {
	Invariant string `json:"invariant"`
	Reason    string `json:"reason"`
}

// Mark is a named instant that narration refers to.
type Mark struct {
	Name string `json:"name"`
	At   int64  `json:"at_ns"`
	// Step is the last step at At. In a record without a step then it is the first
	// one after At, or the last one of the run if there is none later.
	Step int `json:"step"`
}
