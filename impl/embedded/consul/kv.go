package consul

import (
	"context"
	"strings"

	"github.com/hashicorp/consul/api"
)

// Get returns the entry of key, or nil, with the index of the answer: that of
// the entry or, without one, that of the last change to any key. It waits as q
// says. The entry must not be changed.
func (s *Store) Get(ctx context.Context, key string, q Query) (entry *api.KVPair, index uint64, err error) {
	index, err = s.read(ctx, q, interest{key: key}, func() uint64 {
		if entry = s.kv[key]; entry != nil {
			return entry.ModifyIndex
		}
		return max(s.kvIndex, firstIndex)
	})
	return entry, index, err
}

// List returns the entries whose keys start with prefix, in the order of keys,
// with the index of the youngest of them or of the last deletion below prefix.
// It waits as q says. The entries must not be changed.
func (s *Store) List(ctx context.Context, prefix string, q Query) (list api.KVPairs, index uint64, err error) {
	index, err = s.read(ctx, q, interest{key: prefix, tree: true}, func() uint64 {
		list = s.listKV(prefix)
		return s.listIndex(prefix, list)
	})
	return list, index, err
}

func (s *Store) listKV(prefix string) api.KVPairs {
	found := make(map[string]*api.KVPair)
	for key, e := range s.kv {
		if strings.HasPrefix(key, prefix) {
			found[key] = e
		}
	}
	return sorted(found)
}

func (s *Store) listIndex(prefix string, list api.KVPairs) uint64 {
	if prefix == "" {
		return max(s.kvIndex, firstIndex)
	}
	index := s.graves.index(prefix)
	for _, e := range list {
		index = max(index, e.ModifyIndex)
	}
	if index == 0 {
		return max(s.kvIndex, firstIndex)
	}
	return index
}

// Keys returns the keys that start with prefix, in order, with the index that
// List would return. With a separator, what follows the first separator after
// the prefix is cut off, and each result is listed once. It waits as q says.
func (s *Store) Keys(ctx context.Context, prefix, separator string, q Query) ([]string, uint64, error) {
	list, index, err := s.List(ctx, prefix, q)
	if err != nil {
		return nil, 0, err
	}
	keys := make([]string, 0, len(list))
	for _, e := range list {
		key := e.Key
		if at := strings.Index(key[len(prefix):], separator); separator != "" && at >= 0 {
			key = key[:len(prefix)+at+len(separator)]
		}
		if len(keys) == 0 || keys[len(keys)-1] != key {
			keys = append(keys, key)
		}
	}
	return keys, index, nil
}
