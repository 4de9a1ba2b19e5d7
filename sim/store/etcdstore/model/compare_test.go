package model_test

import (
	"context"
	"strings"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
)

// collect takes down what the model tells the watches.
func (p *pair) collect() {
	for _, n := range p.model.Notices() {
		for _, w := range p.watches {
			if w.model == n.Watch {
				w.events = append(w.events, n.Revision)
			}
		}
	}
}

// compareKeys looks at everything that is left.
func (p *pair) compareKeys() {
	res, err := p.client.Get(context.Background(), p.prefix, clientv3.WithPrefix())
	if err != nil {
		p.t.Fatal(err)
	}
	var got []model.Entry
	for _, kv := range res.Kvs {
		got = append(got, model.Entry{
			KV: etcdlock.KV{
				Key: string(kv.Key), Value: string(kv.Value),
				CreateRevision: kv.CreateRevision - p.base, Lease: etcdlock.LeaseID(kv.Lease),
			},
			ModRevision: kv.ModRevision - p.base, Version: kv.Version,
		})
	}
	if diff := cmp.Diff(p.model.Keys(), got); diff != "" {
		p.t.Fatalf("the keys at the end:\n-model +etcd\n%s", diff)
	}
}

// compareWatches compares all that the watches were told. Every key is put and
// deleted once more, so that each of them has an end to wait for.
func (p *pair) compareWatches() {
	for _, key := range keys {
		for _, op := range []etcdlock.Op{etcdlock.Put(p.prefix+key, "", 0), etcdlock.Delete(p.prefix + key)} {
			txn := etcdlock.Txn{Then: []etcdlock.Op{op}}
			_, want := p.model.Txn(txn)
			if _, err := p.real.Txn(context.Background(), txn); err != nil || want != nil {
				p.t.Fatal(err, want)
			}
		}
	}
	p.collect()
	for _, w := range p.watches {
		var got []int64
		for len(got) == 0 || got[len(got)-1] < w.events[len(w.events)-1] {
			r, open := <-w.real
			if !open || r.Err() != nil {
				p.t.Fatalf("the watch of %s ended: %v", w.key, r.Err())
			}
			for _, e := range r.Events {
				got = append(got, e.Kv.ModRevision-p.base)
			}
		}
		if diff := cmp.Diff(w.events, got); diff != "" {
			p.t.Fatalf("deletions of %s:\n-model +etcd\n%s", strings.TrimPrefix(w.key, p.prefix), diff)
		}
	}
}
