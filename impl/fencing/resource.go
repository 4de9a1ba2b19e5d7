// Package fencing is the side of the protected resource: it refuses what comes
// from a holder that has been overtaken.
//
// What belongs here: resources that check the token of a lock with every write.
// What does not: locks, and resources that check nothing (package antipattern).
//
// A lock cannot stop a holder that was paused for longer than its lease and
// writes when it wakes. The resource can, if every grant carries a token that
// only grows and every write brings the token along: see Martin Kleppmann, "How
// to do distributed locking" (8 February 2016),
// https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html.
package fencing

import (
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// ErrStale: a write with a token smaller than one that the resource has seen.
// It comes as a *[StaleError].
var ErrStale = errors.New("stale fencing token")

// StaleError says which write was refused. errors.Is finds [ErrStale] in it.
type StaleError struct {
	// Name is the register that was to be written.
	Name string
	// Token is the one that came with the write, Seen the largest that came
	// before.
	Token, Seen lock.Token
}

// Error implements error.
func (e *StaleError) Error() string {
	return fmt.Sprintf("write to %q refused: %v: %d after %d", e.Name, ErrStale, e.Token, e.Seen)
}

// Is makes errors.Is(err, ErrStale) true.
func (e *StaleError) Is(target error) bool { return target == ErrStale }

// Resource is a store of named numbers that accepts a write only with a token
// not smaller than any that it has seen for that name. The check and the write
// are one step. It is safe for concurrent use.
//
// Equal tokens are accepted, because a holder may write more than once.
type Resource struct {
	mu     sync.Mutex
	values map[string]int64
	seen   map[string]lock.Token
}

// NewResource makes a resource with the given values, which it copies. A name
// without a value reads as 0.
func NewResource(initial map[string]int64) *Resource {
	values := make(map[string]int64, len(initial))
	maps.Copy(values, initial)
	return &Resource{values: values, seen: make(map[string]lock.Token)}
}

// Read returns the value of name. Reading needs no token: whoever acts on what
// it has read must write, and that is where it is found out.
func (r *Resource) Read(name string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.values[name]
}

// Seen returns the largest token that was accepted for name, 0 before the first.
func (r *Resource) Seen(name string) lock.Token {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[name]
}

// Write sets name to value. A refused write changes nothing and returns a
// *[StaleError].
func (r *Resource) Write(name string, value int64, token lock.Token) error {
	_, err := r.update(name, token, func(int64) int64 { return value })
	return err
}

// Add adds delta to name and returns the new value. A refused one changes
// nothing and returns the value as it stands with a *[StaleError].
func (r *Resource) Add(name string, delta int64, token lock.Token) (int64, error) {
	return r.update(name, token, func(v int64) int64 { return v + delta })
}

func (r *Resource) update(name string, token lock.Token, change func(int64) int64) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seen := r.seen[name]; token < seen {
		return r.values[name], &StaleError{Name: name, Token: token, Seen: seen}
	}
	r.seen[name] = token
	r.values[name] = change(r.values[name])
	return r.values[name], nil
}
