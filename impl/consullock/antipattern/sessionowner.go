package antipattern

import (
	"context"
	"strings"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/consullock/internal/engine"
)

// SessionOwner is WRONG: it takes the session for the owner of the lock, with
// PUT ?acquire=session and PUT ?release=session, though all grants of the
// process share the session. Consul grants a key again to the session that holds
// it, so two goroutines get the lock at once; and whichever of them releases
// first, or a release that arrives late, frees the lock of the other. Instead:
// make the requests conditional on the state of the key, as consullock does, or
// create a session for every grant.
//
// Between processes, which have a session each, it looks perfectly right.
//
// It implements lock.Locker.
type SessionOwner struct{ locker }

// NewSessionOwner makes one; the arguments are those of consullock.New.
func NewSessionOwner(client *api.Client, cfg consullock.Config) (*SessionOwner, error) {
	l, err := newLocker(sessionOwner{rightBackend(client)}, cfg, rightTarget)
	if err != nil {
		return nil, err
	}
	return &SessionOwner{l}, nil
}

type sessionOwner struct{ engine.API }

func (b sessionOwner) Lock(ctx context.Context, p engine.Place, c engine.Claim) (uint64, engine.Verdict, error) {
	ok, _, err := b.Client.KV().Acquire(pairOf(p, c), new(api.WriteOptions).WithContext(ctx))
	if err != nil && strings.Contains(err.Error(), "invalid session") {
		return 0, engine.SessionGone, nil
	}
	if err != nil {
		return 0, engine.Refused, engine.Classify(err)
	}
	e, err := b.Get(ctx, p.Key)
	switch {
	case err != nil:
		return 0, engine.Refused, err
	case ok:
		return e.Index, engine.Granted, nil
	case e.Session == "":
		return 0, engine.Delayed, nil
	}
	return 0, engine.Refused, nil
}

func (b sessionOwner) Unlock(ctx context.Context, p engine.Place, c engine.Claim) (bool, error) {
	ok, _, err := b.Client.KV().Release(pairOf(p, c), new(api.WriteOptions).WithContext(ctx))
	return ok, engine.Classify(err)
}

func pairOf(p engine.Place, c engine.Claim) *api.KVPair {
	return &api.KVPair{Key: p.Key, Session: c.Session, Value: []byte(c.Owner), Flags: c.Flags}
}
