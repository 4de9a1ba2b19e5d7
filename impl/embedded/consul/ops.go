package consul

import (
	"errors"
	"fmt"

	"github.com/hashicorp/consul/api"
)

// errRefused marks the operations that were carried out and said no: the
// condition of the write did not hold.
var errRefused = errors.New("refused")

// ErrBadOp is the error of an operation that could never succeed: an unknown
// verb, no key, or a session that does not exist.
var ErrBadOp = errors.New("invalid operation")

// operation carries out one verb within t and returns the entries it concerns.
type operation func(t *tx, op *api.KVTxnOp) (api.KVPairs, error)

var operations = map[api.KVOp]operation{
	api.KVSet:            set,
	api.KVCAS:            setCAS,
	api.KVLock:           lock,
	api.KVUnlock:         unlock,
	api.KVDelete:         remove,
	api.KVDeleteCAS:      removeCAS,
	api.KVDeleteTree:     removeTree,
	api.KVGet:            get,
	api.KVGetOrEmpty:     getOrEmpty,
	api.KVGetTree:        getTree,
	api.KVCheckSession:   checkSession,
	api.KVCheckIndex:     checkIndex,
	api.KVCheckNotExists: checkNotExists,
}

func (t *tx) do(op *api.KVTxnOp) (api.KVPairs, error) {
	f, ok := operations[op.Verb]
	if !ok {
		return nil, fmt.Errorf("%w: unknown verb %q", ErrBadOp, op.Verb)
	}
	return f(t, op)
}

// entryOf is what op asks to store, without an owner. Its LockIndex is zero:
// a plain write starts the count of acquisitions again, on the real server too.
func entryOf(op *api.KVTxnOp) api.KVPair {
	return api.KVPair{Key: op.Key, Value: op.Value, Flags: op.Flags}
}

func set(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	e := entryOf(op)
	if old := t.get(op.Key); old != nil {
		e.Session = old.Session
	}
	return api.KVPairs{t.put(e)}, nil
}

func setCAS(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	var have uint64
	if old := t.get(op.Key); old != nil {
		have = old.ModifyIndex
	}
	if have != op.Index {
		return nil, fmt.Errorf("%w: set %q: index %d is stale, it is %d", errRefused, op.Key, op.Index, have)
	}
	return set(t, op)
}

func lock(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	if _, ok := t.s.sessions[op.Session]; !ok {
		// Clients tell this from other failures by its first two words.
		return nil, fmt.Errorf("invalid session %q: lock %q: %w", op.Session, op.Key, ErrBadOp)
	}
	e := entryOf(op)
	e.Session, e.LockIndex = op.Session, 1
	if old := t.get(op.Key); old != nil {
		switch old.Session {
		case op.Session:
			e.LockIndex = old.LockIndex
		case "":
			e.LockIndex = old.LockIndex + 1
		default:
			return nil, fmt.Errorf("%w: lock %q: session %s holds it", errRefused, op.Key, old.Session)
		}
	}
	return api.KVPairs{t.put(e)}, nil
}

func unlock(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	if op.Session == "" {
		return nil, fmt.Errorf("%w: unlock %q: no session given", ErrBadOp, op.Key)
	}
	old := t.get(op.Key)
	if old == nil || old.Session != op.Session {
		return nil, fmt.Errorf("%w: unlock %q: session %s does not hold it", errRefused, op.Key, op.Session)
	}
	e := entryOf(op)
	e.LockIndex = old.LockIndex
	return api.KVPairs{t.put(e)}, nil
}

func remove(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	t.delete(op.Key)
	return nil, nil
}

func removeCAS(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	if old := t.get(op.Key); old != nil && old.ModifyIndex != op.Index {
		return nil, fmt.Errorf("%w: delete %q: index %d is stale, it is %d", errRefused, op.Key, op.Index, old.ModifyIndex)
	}
	return remove(t, op)
}

func removeTree(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	for _, e := range t.list(op.Key) {
		t.delete(e.Key)
	}
	return nil, nil
}

func get(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	e := t.get(op.Key)
	if e == nil {
		return nil, fmt.Errorf("%w: get %q: no such key", errRefused, op.Key)
	}
	return api.KVPairs{e}, nil
}

func getOrEmpty(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	if e := t.get(op.Key); e != nil {
		return api.KVPairs{e}, nil
	}
	return api.KVPairs{{Key: op.Key}}, nil
}

func getTree(t *tx, op *api.KVTxnOp) (api.KVPairs, error) { return t.list(op.Key), nil }

func checkSession(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	e := t.get(op.Key)
	if e == nil || e.Session != op.Session {
		return nil, fmt.Errorf("%w: check %q: not held by session %q", errRefused, op.Key, op.Session)
	}
	return api.KVPairs{e}, nil
}

func checkIndex(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	e := t.get(op.Key)
	if e == nil || e.ModifyIndex != op.Index {
		return nil, fmt.Errorf("%w: check %q: its index is not %d", errRefused, op.Key, op.Index)
	}
	return api.KVPairs{e}, nil
}

func checkNotExists(t *tx, op *api.KVTxnOp) (api.KVPairs, error) {
	if t.get(op.Key) != nil {
		return nil, fmt.Errorf("%w: check %q: it exists", errRefused, op.Key)
	}
	return nil, nil
}
