package runner

import (
	"context"
	"errors"
	"strconv"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	etcdanti "github.com/lockstep-sim/lockstep/impl/etcdlock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore"
	"github.com/lockstep-sim/lockstep/sim/store/resource"
)

// etcdRegister is a resource that is a key of the etcd that the locks live in.
type etcdRegister struct {
	store   *etcdstore.Client
	name    string
	guarded bool // writes go through etcdlock.GuardedPut
}

func (b *etcdBackend) register(c *client, name string) (register, error) {
	return &etcdRegister{b.store.Client(c.proc), name, b.x.params["resource"] == "etcd-guarded"}, nil
}

func (r *etcdRegister) Read(ctx context.Context) (int64, error) {
	res, err := r.store.Txn(ctx, etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Get(r.name)}})
	if err != nil || len(res.Read[0]) == 0 {
		return 0, err
	}
	return strconv.ParseInt(res.Read[0][0].Value, 10, 64)
}

func (r *etcdRegister) Write(ctx context.Context, value int64, w resource.Writer) error {
	if w != nil {
		ctx = etcdstore.AsWriter(ctx, w.Owner())
	}
	text := strconv.FormatInt(value, 10)
	if lease, ok := w.(lock.Lease); ok && r.guarded {
		return etcdlock.GuardedPut(ctx, lease, r.name, text)
	}
	return etcdanti.PlainPut(ctx, r.store, r.name, text)
}

// Add has no counterpart in etcd: a client would have to read, compare and write.
func (*etcdRegister) Add(context.Context, int64, resource.Writer) (int64, error) {
	return 0, errors.New("etcd does not add to a key: read and write it")
}
