package model_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

const leases = 3

var keys = []string{"a", "a/1", "a/2", "b"}

// leaseTTL is longer than the test, so that no lease runs out by itself.
const leaseTTL = 10 * time.Minute

func (p *pair) drawKey(t *rapid.T) string { return p.prefix + rapid.SampledFrom(keys).Draw(t, "key") }

func (p *pair) drawLease(t *rapid.T) etcdlock.LeaseID {
	return p.lease + etcdlock.LeaseID(rapid.IntRange(0, leases-1).Draw(t, "lease"))
}

func (p *pair) drawTxn(t *rapid.T) etcdlock.Txn {
	var txn etcdlock.Txn
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		txn.If = append(txn.If, p.drawCompare(t))
	}
	for range rapid.IntRange(1, 3).Draw(t, "then") {
		txn.Then = append(txn.Then, p.drawOp(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "else") {
		txn.Else = append(txn.Else, p.drawOp(t))
	}
	return txn
}

func (p *pair) drawCompare(t *rapid.T) etcdlock.Compare {
	c := etcdlock.Compare{Key: p.drawKey(t), Prefix: rapid.Bool().Draw(t, "prefix")}
	c.CreateRevision = p.drawRevision(t)
	return c
}

// drawRevision is that of a key, if there is one, or none.
func (p *pair) drawRevision(t *rapid.T) int64 {
	all := []int64{0}
	for _, e := range p.model.Keys() {
		all = append(all, e.CreateRevision)
	}
	return rapid.SampledFrom(all).Draw(t, "revision")
}

func (p *pair) drawOp(t *rapid.T) etcdlock.Op {
	key := p.drawKey(t)
	switch rapid.IntRange(0, 6).Draw(t, "op") {
	case 0, 5:
		return etcdlock.Put(key, rapid.StringMatching("[a-z]{1,3}").Draw(t, "value"), 0)
	case 1, 6:
		return etcdlock.Put(key, "bound", p.drawLease(t))
	case 2:
		return etcdlock.Delete(key)
	case 3:
		return etcdlock.Get(key)
	}
	return p.drawNewest(t)
}

func (p *pair) drawNewest(t *rapid.T) etcdlock.Op {
	prefix := p.prefix + rapid.SampledFrom([]string{"", "a", "a/", "b"}).Draw(t, "of")
	return etcdlock.Newest(prefix, rapid.IntRange(0, 2).Draw(t, "limit"), p.drawRevision(t))
}
