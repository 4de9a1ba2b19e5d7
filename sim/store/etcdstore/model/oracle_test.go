package model_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
)

// TestMain makes the sequences longer than usual: the rare cases need a store with
// some keys in it. They are the same in every run, unless a seed is given.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.steps": "80", "rapid.seed": "1"} {
		if given[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// pair is a model and a real etcd that get the same operations. The real one is
// shared by all sequences: each has keys and leases of its own there, and its
// revisions count from the one at its start.
type pair struct {
	t      *rapid.T
	model  *model.Store
	client *clientv3.Client
	real   etcdlock.Store
	prefix string
	base   int64 // the real revision at which the model has revision 1, less 1
	lease  etcdlock.LeaseID

	watches []*watching
	cancel  []context.CancelFunc
}

// watching is the same watch on both.
type watching struct {
	key    string
	model  *model.Watch
	events []int64 // the revisions of the deletions that the model tells of
	real   clientv3.WatchChan
}

// TestTheModelAnswersLikeEtcd is what the simulated etcd rests on.
func TestTheModelAnswersLikeEtcd(t *testing.T) {
	server, err := etcd.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := server.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	sequence := 0
	rapid.Check(t, func(t *rapid.T) {
		sequence++
		p := newPair(t, client, sequence)
		defer p.close()
		t.Repeat(map[string]func(*rapid.T){
			"txn": p.txn, "delete": p.remove, "newest": p.newest, "grant": p.grant, "keep alive": p.keepAlive, "revoke": p.revoke, "watch": p.watch,
			"": func(*rapid.T) { p.collect() },
		})
		p.compareKeys()
		p.compareWatches()
	})
}

func newPair(t *rapid.T, client *clientv3.Client, sequence int) *pair {
	p := &pair{
		t: t, model: model.New(), client: client, real: etcdlock.NewStore(client),
		prefix: fmt.Sprintf("%d/", sequence), lease: etcdlock.LeaseID(sequence * 10),
	}
	res, err := p.real.Txn(context.Background(), etcdlock.Txn{})
	if err != nil {
		t.Fatal(err)
	}
	p.base = res.Revision - p.model.Revision()
	return p
}

// close gives the leases back and ends the watches.
func (p *pair) close() {
	for i := range leases {
		_ = p.real.Revoke(context.Background(), p.lease+etcdlock.LeaseID(i)) // if it exists
	}
	for _, cancel := range p.cancel {
		cancel()
	}
}

func (p *pair) txn(t *rapid.T) { p.compareTxn(t, p.drawTxn(t)) }

func (p *pair) compareTxn(t *rapid.T, txn etcdlock.Txn) {
	want, wantErr := p.model.Txn(txn)
	got, gotErr := p.real.Txn(context.Background(), p.shifted(txn))
	if kind(wantErr) != kind(gotErr) {
		t.Fatalf("%+v: the model fails with %v, etcd with %v", txn, wantErr, gotErr)
	}
	if gotErr != nil {
		return
	}
	got.Revision -= p.base
	for _, kvs := range got.Read {
		for i := range kvs {
			kvs[i].CreateRevision -= p.base
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%+v:\n-model +etcd\n%s", txn, diff)
	}
}

// remove and newest are what transactions with conditions seldom come to.
func (p *pair) remove(t *rapid.T) {
	p.compareTxn(t, etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Delete(p.drawKey(t))}})
}

func (p *pair) newest(t *rapid.T) {
	p.compareTxn(t, etcdlock.Txn{Then: []etcdlock.Op{p.drawNewest(t)}})
}

// shifted is the transaction with the revisions of the real etcd.
func (p *pair) shifted(txn etcdlock.Txn) etcdlock.Txn {
	out := etcdlock.Txn{If: append([]etcdlock.Compare(nil), txn.If...), Then: p.shiftOps(txn.Then), Else: p.shiftOps(txn.Else)}
	for i := range out.If {
		out.If[i].CreateRevision = p.shift(out.If[i].CreateRevision)
	}
	return out
}

func (p *pair) shiftOps(ops []etcdlock.Op) []etcdlock.Op {
	out := append([]etcdlock.Op(nil), ops...)
	for i := range out {
		out[i].MaxCreateRevision = p.shift(out[i].MaxCreateRevision)
	}
	return out
}

func (p *pair) shift(revision int64) int64 {
	if revision == 0 {
		return 0
	}
	return revision + p.base
}

func (p *pair) grant(t *rapid.T) {
	id := p.drawLease(t)
	want := p.model.Grant(0, id, leaseTTL)
	got, err := p.real.Grant(context.Background(), id, leaseTTL)
	if err != nil || got != want {
		t.Fatalf("Grant = %v, %v; the model says %v", got, err, want)
	}
}

func (p *pair) keepAlive(t *rapid.T) {
	id := p.drawLease(t)
	want, wantErr := p.model.KeepAlive(0, id)
	got, gotErr := p.real.KeepAlive(context.Background(), id)
	if kind(gotErr) != kind(wantErr) || got != want {
		t.Fatalf("KeepAlive = %v, %v; the model says %v, %v", got, gotErr, want, wantErr)
	}
}

func (p *pair) revoke(t *rapid.T) {
	id := p.drawLease(t)
	want, got := p.model.Revoke(id), p.real.Revoke(context.Background(), id)
	if kind(got) != kind(want) {
		t.Fatalf("Revoke = %v; the model says %v", got, want)
	}
}

func (p *pair) watch(t *rapid.T) {
	if len(p.watches) == 4 {
		t.Skip("enough of them")
	}
	key, now := p.drawKey(t), p.model.Revision()
	from := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(max(1, now-2), now+2)).Draw(t, "from")
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = append(p.cancel, cancel)
	w := &watching{key: key, model: p.model.Watch(key, from)}
	w.real = p.client.Watch(ctx, key, clientv3.WithRev(p.shift(from)), clientv3.WithFilterPut(), clientv3.WithCreatedNotify())
	if r := <-w.real; r.Err() != nil || !r.Created {
		t.Fatalf("the watch is not confirmed: %+v", r)
	}
	p.watches = append(p.watches, w)
	p.model.Resync()
}

// kind is what an error says for certain.
func kind(err error) error {
	for _, known := range []error{etcdlock.ErrLeaseNotFound, etcdlock.ErrRefused} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}
