package redisstore

import (
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Judge says who owns a lock: the grant that stands under its key on enough of
// the nodes that count. For one server that is its own word, for a primary with
// replicas that of the primary in office, for independent servers that of a
// majority of them.
type Judge struct {
	locks  []string
	owner  func(grant string) (client string)
	nodes  []*Node
	quorum int
	last   map[string]trace.Truth // by lock
}

// NewJudge makes a judge over the keys named locks. It knows no nodes yet, see
// [Judge.Trust]. owner maps the identity of a grant to the client that made it.
func NewJudge(owner func(grant string) (client string), locks ...string) *Judge {
	return &Judge{locks: locks, owner: owner, last: map[string]trace.Truth{}}
}

// Trust makes nodes the ones that count, of which a majority must agree.
func (j *Judge) Trust(nodes ...*Node) { j.nodes, j.quorum = nodes, len(nodes)/2+1 }

// look adds to e who owns the locks, where that changed.
func (j *Judge) look(e *trace.Event) {
	for _, lock := range j.locks {
		t := trace.Truth{Lock: lock, Grant: j.grant(lock)}
		if t.Grant != "" {
			t.Owner = j.owner(t.Grant)
		}
		if last := j.last[lock]; t != last && (t.Owner != "" || last.Owner != "") {
			j.last[lock] = t
			e.Truths = append(e.Truths, t)
		}
	}
}

// grant is the one that enough nodes have, empty where there is none.
func (j *Judge) grant(lock string) string {
	votes := map[string]int{}
	for _, n := range j.nodes {
		k, ok := n.keys[lock]
		if !ok {
			continue
		}
		g := grantOf(k.Value)
		if votes[g]++; votes[g] >= j.quorum {
			return g
		}
	}
	return ""
}
