// Package antipattern holds protected resources that are WRONG: they protect
// nothing, or not all the time.
//
// They exist for lessons, scenarios and tests; nothing else may import them.
// Each has the methods of fencing.Resource, so that one can stand for the other.
package antipattern

import (
	"maps"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Unfenced is WRONG: it takes every write and ignores the token, so a holder that
// was paused overwrites what its successor has written. Instead:
// fencing.Resource.
type Unfenced struct {
	mu     sync.Mutex
	values map[string]int64
}

// NewUnfenced makes one with the given values, which it copies.
func NewUnfenced(initial map[string]int64) *Unfenced {
	values := make(map[string]int64, len(initial))
	maps.Copy(values, initial)
	return &Unfenced{values: values}
}

// Read returns the value of name.
func (u *Unfenced) Read(name string) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.values[name]
}

// Write sets name to value, whoever asks. It never fails.
func (u *Unfenced) Write(name string, value int64, _ lock.Token) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.values[name] = value
	return nil
}

// Add adds delta to name, whoever asks, and returns the new value. It never
// fails.
func (u *Unfenced) Add(name string, delta int64, _ lock.Token) (int64, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.values[name] += delta
	return u.values[name], nil
}
