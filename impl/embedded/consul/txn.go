package consul

import (
	"errors"
	"fmt"

	"github.com/hashicorp/consul/api"
)

// Do carries out one operation that changes a key: set, cas, lock, unlock,
// delete, delete-cas or delete-tree. It reports false when the condition of the
// operation did not hold: a stale index, a key that is held by another session
// or lies in a lock-delay. [ErrBadOp] means that it can never succeed.
func (s *Store) Do(op api.KVTxnOp) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false, ErrClosed
	}
	err := s.precheck(&op)
	if err == nil {
		t := s.begin()
		if _, err = t.do(&op); err == nil {
			t.commit()
			return true, nil
		}
	}
	if errors.Is(err, errRefused) {
		return false, nil
	}
	return false, err
}

// Txn carries out all operations or, if any of them fails, none, and then says
// which failed and why. The entries that it returns are those that the
// operations concern, one after the other: nothing for a deletion and for a
// check that a key does not exist. Only the reads return values.
func (s *Store) Txn(ops []api.KVTxnOp) (api.KVPairs, api.TxnErrors, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, ErrClosed
	}
	var failed api.TxnErrors
	for i := range ops {
		failed = appendError(failed, i, s.precheck(&ops[i]))
	}
	if len(failed) > 0 {
		return nil, failed, nil
	}
	t := s.begin()
	var results api.KVPairs
	for i := range ops {
		entries, err := t.do(&ops[i])
		failed = appendError(failed, i, err)
		results = append(results, withoutValues(ops[i].Verb, entries)...)
	}
	if len(failed) > 0 {
		return nil, failed, nil
	}
	t.commit()
	return results, nil, nil
}

func appendError(list api.TxnErrors, index int, err error) api.TxnErrors {
	if err == nil {
		return list
	}
	return append(list, &api.TxnError{OpIndex: index, What: err.Error()})
}

// precheck refuses what does not get into the log at all. The lock-delay is
// checked here because it is a matter of the leader's clock, and what is in the
// log must mean the same to every server.
func (s *Store) precheck(op *api.KVTxnOp) error {
	if op.Key == "" && op.Verb != api.KVDeleteTree && op.Verb != api.KVGetTree {
		return fmt.Errorf("%w: %s: no key given", ErrBadOp, op.Verb)
	}
	if op.Verb == api.KVLock {
		if left := s.delayLeft(op.Key); left > 0 {
			// Clients tell this from other refusals by the words "lock delay".
			return fmt.Errorf("%w: lock %q: the lock delay lasts another %v", errRefused, op.Key, left)
		}
	}
	return nil
}

// withoutValues leaves the values out of the results of anything but reads.
func withoutValues(verb api.KVOp, entries api.KVPairs) api.KVPairs {
	if verb == api.KVGet || verb == api.KVGetOrEmpty || verb == api.KVGetTree {
		return entries
	}
	list := make(api.KVPairs, len(entries))
	for i, e := range entries {
		short := *e
		short.Value = nil
		list[i] = &short
	}
	return list
}
