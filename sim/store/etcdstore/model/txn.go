package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// Txn carries out a transaction: all of its changes have one revision. It fails,
// and changes nothing, with etcdlock.ErrLeaseNotFound or etcdlock.ErrRefused.
func (s *Store) Txn(txn etcdlock.Txn) (etcdlock.Result, error) {
	if err := checkOverlap(txn.Then); err != nil {
		return etcdlock.Result{}, err
	}
	if err := checkOverlap(txn.Else); err != nil {
		return etcdlock.Result{}, err
	}
	res := etcdlock.Result{Succeeded: !slices.ContainsFunc(txn.If, s.fails)}
	ops := txn.Else
	if res.Succeeded {
		ops = txn.Then
	}
	if err := s.checkLeases(ops); err != nil {
		return etcdlock.Result{}, err
	}
	revision, changed := s.revision+1, false
	for _, o := range ops {
		read, change := s.carryOut(o, revision)
		res.Read = append(res.Read, read)
		changed = changed || change
	}
	if changed {
		s.revision = revision
	}
	res.Revision = s.revision
	return res, nil
}

// carryOut does one operation. It returns what was read and whether something
// was changed.
func (s *Store) carryOut(o etcdlock.Op, revision int64) (read []etcdlock.KV, changed bool) {
	switch o.Kind {
	case etcdlock.OpPut:
		s.put(o, revision)
		return nil, true
	case etcdlock.OpDelete:
		return nil, s.remove(o.Key, revision)
	case etcdlock.OpGet:
		if e, exists := s.keys[o.Key]; exists {
			return []etcdlock.KV{e.KV}, false
		}
	case etcdlock.OpNewest:
		return s.newest(o), false
	}
	return nil, false
}

// fails reports whether a comparison does not hold. One with a prefix has to hold
// for every key; where there is none it compares with the revision 0.
func (s *Store) fails(c etcdlock.Compare) bool {
	if !c.Prefix {
		return s.keys[c.Key].CreateRevision != c.CreateRevision
	}
	found := false
	for key, e := range s.keys {
		if strings.HasPrefix(key, c.Key) {
			found = true
			if e.CreateRevision != c.CreateRevision {
				return true
			}
		}
	}
	return !found && c.CreateRevision != 0
}

func (s *Store) checkLeases(ops []etcdlock.Op) error {
	for _, o := range ops {
		if o.Kind != etcdlock.OpPut || o.Lease == 0 {
			continue
		}
		if _, exists := s.leases[o.Lease]; !exists {
			return etcdlock.ErrLeaseNotFound
		}
	}
	return nil
}

// checkOverlap refuses operations of which two would change the same key, apart
// from two deletions.
func checkOverlap(ops []etcdlock.Op) error {
	puts, deletes := map[string]bool{}, map[string]bool{}
	for _, o := range ops {
		switch o.Kind {
		case etcdlock.OpPut:
			if puts[o.Key] {
				return duplicate(o.Key)
			}
			puts[o.Key] = true
		case etcdlock.OpDelete:
			deletes[o.Key] = true
		case etcdlock.OpGet, etcdlock.OpNewest:
		}
	}
	for _, o := range ops {
		if puts[o.Key] && deletes[o.Key] {
			return duplicate(o.Key)
		}
	}
	return nil
}

func duplicate(key string) error {
	return fmt.Errorf("%w: duplicate key %s given in txn request", etcdlock.ErrRefused, key)
}
