package engine

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"
)

// Target is what an attempt is after: one key, or one of several.
type Target interface {
	// Flags mark the keys of this kind of lock.
	Flags() uint64

	// Guess is where to try without having looked; nil means look first.
	Guess() []Place

	// Look returns the places that are free, as soon as the index of the
	// answer exceeds that of q or the wait of q has passed, with the index to
	// go on from.
	Look(ctx context.Context, b Backend, q Lookup) ([]Place, uint64, error)

	// Follow returns the index to wait on after an answer with the index got
	// to a look with the index since; 0 means to look without waiting.
	Follow(since, got uint64) uint64
}

// Lookup says how to look.
type Lookup struct {
	Owner string // on whose behalf, to spread the attempts over several places
	Since uint64
	Wait  time.Duration
}

// Follow is the rule of the blocking queries. An index that goes backwards, as
// it does when the servers are restored from a backup, means to begin again:
// waiting on the old one would miss every change until the new ones have caught
// up. An index of 0, which servers have returned by mistake, would not wait.
//
// See "Blocking Queries" in Consul's API documentation.
func Follow(since, got uint64) uint64 {
	if got < since {
		return 0
	}
	return max(got, 1)
}

// OneKey is the target of a mutex.
type OneKey string

// Flags implements [Target]. They are those of the client's own Lock, which
// takes others for a conflict.
func (OneKey) Flags() uint64 { return api.LockFlagValue }

// Guess implements [Target]. It hopes that nobody has the key, since a release
// deletes it.
func (k OneKey) Guess() []Place { return []Place{{Key: string(k)}} }

// Look implements [Target].
func (k OneKey) Look(ctx context.Context, b Backend, q Lookup) ([]Place, uint64, error) {
	e, index, err := b.WatchKey(ctx, string(k), q.Since, q.Wait)
	switch {
	case err != nil:
		return nil, 0, err
	case e.Index != 0 && e.Flags != k.Flags():
		return nil, 0, Invalid("key %q holds something that is not a lock", string(k))
	case e.Session != "":
		return nil, index, nil
	}
	return []Place{{e.Key, e.Index}}, index, nil
}

// Follow implements [Target].
func (OneKey) Follow(since, got uint64) uint64 { return Follow(since, got) }

// Slots is the target of a semaphore: the keys "Prefix0", "Prefix1" and so on,
// below Limit.
type Slots struct {
	Prefix string
	Limit  int
}

// Flags implements [Target]. They make the limit known to others.
func (t Slots) Flags() uint64 { return uint64(t.Limit) }

// Guess implements [Target].
func (Slots) Guess() []Place { return nil }

// Look implements [Target].
func (t Slots) Look(ctx context.Context, b Backend, q Lookup) ([]Place, uint64, error) {
	entries, index, err := b.WatchTree(ctx, t.Prefix, q.Since, q.Wait)
	if err != nil {
		return nil, 0, err
	}
	places, err := t.free(entries)
	return rotate(places, q.Owner), index, err
}

// free returns the slots that nobody holds, in the order of their numbers.
func (t Slots) free(entries []Entry) ([]Place, error) {
	seen := make(map[int]Entry, len(entries))
	for _, e := range entries {
		n, err := strconv.Atoi(strings.TrimPrefix(e.Key, t.Prefix))
		if err != nil {
			continue // not a slot
		}
		if e.Flags != t.Flags() {
			return nil, Invalid("%q belongs to something else than a semaphore with limit %d, its flags are %d", e.Key, t.Limit, e.Flags)
		}
		seen[n] = e
	}
	var places []Place
	for n := range t.Limit {
		if e := seen[n]; e.Session == "" {
			places = append(places, Place{t.Prefix + strconv.Itoa(n), e.Index})
		}
	}
	return places, nil
}

// rotate lets every owner begin with another place, so that those who look at
// the same moment do not all try the same one.
func rotate(places []Place, owner string) []Place {
	if len(places) < 2 {
		return places
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(owner)) // never fails
	n := int(h.Sum32() % uint32(len(places)))
	return append(places[n:len(places):len(places)], places[:n]...)
}

// Follow implements [Target].
func (Slots) Follow(since, got uint64) uint64 { return Follow(since, got) }
