package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Kind is what a node in a queue asks for. It stands in the name of the node, in
// front of the sequence number.
type Kind string

// The kinds of nodes. "lock-" is what go-zookeeper and Curator call theirs.
const (
	Exclusive Kind = "lock-"
	Write     Kind = "write-"
	Read      Kind = "read-"
	Permit    Kind = "permit-"
)

// Entry is a node in a queue.
type Entry struct {
	Name string
	Kind Kind
	// Seq is the sequence number. The server counts in a signed 32-bit number.
	Seq int32
	// Czxid is the transaction that made the node; 0 where it was not asked
	// for.
	Czxid int64
}

// sequenceDigits is the least number of digits of a sequence number.
const sequenceDigits = 10

// parse finds the nodes of the given kinds among the names below a key. Others
// are none of ours and block nobody.
func parse(names []string, kinds []Kind) []Entry {
	var q []Entry
	for _, name := range names {
		for _, k := range kinds {
			if seq, ok := sequence(name, k); ok {
				q = append(q, Entry{Name: name, Kind: k, Seq: seq})
				break
			}
		}
	}
	return q
}

func sequence(name string, k Kind) (int32, bool) {
	i := strings.LastIndex(name, string(k))
	if i < 0 {
		return 0, false
	}
	digits := name[i+len(k):]
	seq, err := strconv.ParseInt(digits, 10, 32)
	return int32(seq), err == nil && len(digits) >= sequenceDigits
}

// inOrder sorts a queue by the order in which its nodes were made.
//
// The sequence numbers tell that order until they run out. After 2147483647
// some servers go on below zero, as ZooKeeper's guide says, and newer ones give
// the same number again and again, with negative ones in between. So as soon as
// one number is at the end of its range or below zero, the transactions that
// made the nodes decide instead, at one request for each node in the queue.
func (e *Engine) inOrder(ctx context.Context, t *Ticket, q []Entry) ([]Entry, error) {
	if slices.ContainsFunc(q, Entry.ranOut) {
		return e.byTransaction(ctx, t, q)
	}
	slices.SortFunc(q, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return q, nil
}

func (x Entry) ranOut() bool { return x.Seq < 0 || x.Seq == math.MaxInt32 }

func (e *Engine) byTransaction(ctx context.Context, t *Ticket, q []Entry) ([]Entry, error) {
	out := make([]Entry, 0, len(q))
	for _, x := range q {
		czxid, err := e.czxid(ctx, t, x.Name)
		if errors.Is(err, zkconn.ErrNoNode) {
			continue // gone since the names were listed
		}
		if err != nil {
			return nil, err
		}
		x.Czxid = czxid
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Czxid, b.Czxid) })
	return out, nil
}

// czxid asks once for each node: the transaction that made it does not change.
func (e *Engine) czxid(ctx context.Context, t *Ticket, name string) (int64, error) {
	if name == t.name {
		return t.czxid, nil
	}
	if known, ok := t.czxids[name]; ok {
		return known, nil
	}
	n, err := e.get(ctx, t, t.Sibling(name))
	if err != nil {
		return 0, err
	}
	if t.czxids == nil {
		t.czxids = make(map[string]int64)
	}
	t.czxids[name] = n.Czxid
	return n.Czxid, nil
}
