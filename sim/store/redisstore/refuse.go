package redisstore

import (
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/kernel"
)

// writing are the commands of locks that change something.
var writing = strings.Fields("SET SETNX DEL EXPIRE PEXPIRE PERSIST INCR HSET HINCRBY HDEL RPUSH LPOP LREM ZADD ZREM")

// refusal is why a command, on its own or in a script, is not carried out; empty
// where it is.
func (m *member) refusal(command string) string {
	switch {
	case !slices.Contains(writing, command):
		return ""
	case m.follows != nil:
		return "READONLY You can't write against a read only replica."
	case m.group.cfg.MinReplicas > m.healthy():
		return "NOREPLICAS Not enough good replicas to write."
	}
	return ""
}

// healthy counts the replicas that have been heard of recently. A primary that is
// cut off does not know that one of them has a new primary by now.
func (m *member) healthy() int {
	count := 0
	for _, heard := range m.heard {
		if m.group.k.Now()-heard <= kernel.Time(m.group.cfg.MaxLag) {
			count++
		}
	}
	return count
}

// hangUp tells the others that the process of m is gone: its connections are
// closed, and a primary counts it no more.
func (m *member) hangUp() {
	for _, o := range m.group.members {
		delete(o.heard, m)
	}
}
