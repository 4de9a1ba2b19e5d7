package fencing

import (
	"sync"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// ByGrant is a [Resource] that tells apart two grants with the same token, by
// their owners. A store that can lose its last writes can give a token out twice:
// when a Redis primary dies before it was copied, the count is lost together
// with the lock, and the next grant has the number of the lost one.
//
// Of two such grants the one that writes first is served, and the other is told
// that its token is stale, although nobody can say which of the two is older. So
// no write of one is overwritten by the other; whether the right one was served
// is for the store to answer. It is safe for concurrent use.
type ByGrant struct {
	*Resource
	mu     sync.Mutex
	owners map[string]string // by name: the owner of the last write
}

// NewByGrant makes a resource as [NewResource] does.
func NewByGrant(initial map[string]int64) *ByGrant {
	return &ByGrant{Resource: NewResource(initial), owners: map[string]string{}}
}

// WriteAs is Write on behalf of the grant of owner. A token that another owner
// has written with is a *[StaleError], too.
func (r *ByGrant) WriteAs(owner, name string, value int64, token lock.Token) error {
	_, err := r.as(owner, name, token, func() (int64, error) { return value, r.Write(name, value, token) })
	return err
}

// AddAs is Add on behalf of the grant of owner, with the errors of WriteAs.
func (r *ByGrant) AddAs(owner, name string, delta int64, token lock.Token) (int64, error) {
	return r.as(owner, name, token, func() (int64, error) { return r.Add(name, delta, token) })
}

func (r *ByGrant) as(owner, name string, token lock.Token, update func() (int64, error)) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, written := r.owners[name]
	if seen := r.Seen(name); written && token == seen && owner != last {
		return r.Read(name), &StaleError{Name: name, Token: token, Seen: seen}
	}
	v, err := update()
	if err == nil {
		r.owners[name] = owner
	}
	return v, err
}
