package state

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Stat is what ZooKeeper tells about a node beside its data. Zxids number the
// transactions of the server; times are in milliseconds since 1970.
type Stat struct {
	Czxid, Mzxid   int64 // transactions that created the node and last set its data
	Ctime, Mtime   int64
	Version        int32 // changes of the data
	Cversion       int32 // changes of the set of children
	Aversion       int32 // changes of the ACL
	EphemeralOwner int64 // the session of an ephemeral node, else 0
	DataLength     int32 // bytes
	NumChildren    int32
	Pzxid          int64 // transaction that last changed the set of children
}

// ACL is one entry of an access control list. It is kept, and never enforced.
type ACL struct {
	Perms  int32
	Scheme string
	ID     string
}

// WorldACL is the list that lets everybody do everything.
func WorldACL() []ACL { return []ACL{{Perms: 31, Scheme: "world", ID: "anyone"}} }

// node is one node of the tree. Its creates field counts the children that were
// ever created; the sequence numbers are taken from it, and the cversion that
// clients see is computed from it.
type node struct {
	data     []byte
	acl      []ACL
	stat     Stat // without the fields that fullStat computes
	creates  int32
	children map[string]struct{}
}

func newNode(data []byte, acl []ACL, owner, zxid int64, now time.Time) *node {
	ms := now.UnixMilli()
	return &node{
		data: data, acl: acl,
		stat: Stat{
			Czxid: zxid, Mzxid: zxid, Pzxid: zxid, Ctime: ms, Mtime: ms,
			EphemeralOwner: owner,
		},
		children: make(map[string]struct{}),
	}
}

// fullStat counts deletions into the cversion as the server does: creations
// are counted, and what was created and is no longer there was deleted.
func (n *node) fullStat() Stat {
	s := n.stat
	s.DataLength = int32(len(n.data))
	s.NumChildren = int32(len(n.children))
	s.Cversion = n.creates*2 - s.NumChildren
	return s
}

func (n *node) childNames() []string { return slices.Sorted(maps.Keys(n.children)) }

// nextSequence is the suffix for the next sequential child. The counter is a
// signed 32-bit number, and past 2147483647 that shows: see [Wrap].
func (n *node) nextSequence() string { return fmt.Sprintf("%010d", n.creates) }
