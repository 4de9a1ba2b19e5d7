package antipattern

import (
	"strings"

	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// ReplacedKey is WRONG: it makes a key fit for a path by putting a dash for every
// character that is not a letter or a digit. Keys that differ in such characters
// alone, as "a:b" and "a-b", become one lock: their users wait for each other,
// and one who needs both waits for itself. Instead: escape, so that different
// keys stay different.
//
// It implements lock.Locker.
type ReplacedKey struct{ queue }

// NewReplacedKey makes one; the arguments are those of zklock.New.
func NewReplacedKey(conn zkconn.Conn, cfg zklock.Config) (*ReplacedKey, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	q.engine.Path = replace
	return &ReplacedKey{q}, nil
}

// replace makes the mistake.
func replace(key string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, key)
}
