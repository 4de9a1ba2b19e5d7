package antipattern

import (
	"sync"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// CheckThenWrite is WRONG: it compares the token in one step and writes in
// another. A write that passed its check can be overtaken by one with a larger
// token and then land on top of it. Instead: one step, as in fencing.Resource,
// or one conditional statement in a database.
type CheckThenWrite struct {
	store *Unfenced

	mu   sync.Mutex
	seen map[string]lock.Token
}

// NewCheckThenWrite makes one with the given values, which it copies.
func NewCheckThenWrite(initial map[string]int64) *CheckThenWrite {
	return &CheckThenWrite{store: NewUnfenced(initial), seen: make(map[string]lock.Token)}
}

// Read returns the value of name.
func (c *CheckThenWrite) Read(name string) int64 { return c.store.Read(name) }

// Check is the first step: it refuses a token smaller than one seen before with
// a *fencing.StaleError, and remembers the others.
func (c *CheckThenWrite) Check(name string, token lock.Token) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seen := c.seen[name]; token < seen {
		return &fencing.StaleError{Name: name, Token: token, Seen: seen}
	}
	c.seen[name] = token
	return nil
}

// Put is the second step: it sets name to value without another look.
func (c *CheckThenWrite) Put(name string, value int64) { _ = c.store.Write(name, value, 0) }

// Write does the one and then the other. Between them anything may happen.
func (c *CheckThenWrite) Write(name string, value int64, token lock.Token) error {
	if err := c.Check(name, token); err != nil {
		return err
	}
	c.Put(name, value)
	return nil
}

// Add checks the token, and then adds delta to name and returns the new value.
func (c *CheckThenWrite) Add(name string, delta int64, token lock.Token) (int64, error) {
	if err := c.Check(name, token); err != nil {
		return c.Read(name), err
	}
	return c.store.Add(name, delta, token)
}
