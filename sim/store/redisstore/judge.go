package redisstore

import (
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Judge says who owns the lock: the grant that stands under its key on enough of
// the nodes that count. For one server that is its own word, for a primary with
// replicas that of the primary in office, for independent servers that of a
// majority of them.
type Judge struct {
	lock   string
	owner  func(grant string) (client string)
	nodes  []*Node
	quorum int
	last   trace.Truth
}

// NewJudge makes a judge over the key named lock. It knows no nodes yet, see
// [Judge.Trust]. owner maps the identity of a grant to the client that made it.
func NewJudge(lock string, owner func(grant string) (client string)) *Judge {
	return &Judge{lock: lock, owner: owner}
}

// Trust makes nodes the ones that count, of which a majority must agree.
func (j *Judge) Trust(nodes ...*Node) { j.nodes, j.quorum = nodes, len(nodes)/2+1 }

// look adds to e who owns the lock, if that changed.
func (j *Judge) look(e *trace.Event) {
	t := trace.Truth{Lock: j.lock, Grant: j.grant()}
	if t.Grant != "" {
		t.Owner = j.owner(t.Grant)
	}
	if t != j.last && (t.Owner != "" || j.last.Owner != "") {
		j.last = t
		e.Truths = append(e.Truths, t)
	}
}

// grant is the one that enough nodes have, empty where there is none.
func (j *Judge) grant() string {
	votes := map[string]int{}
	for _, n := range j.nodes {
		k, ok := n.keys[j.lock]
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
