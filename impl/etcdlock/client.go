package etcdlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
)

// NewStore makes a [Store] of an etcd client, which stays the caller's to close.
func NewStore(c *clientv3.Client) Store {
	return &client{kv: c.KV, watcher: c.Watcher, lease: pb.NewLeaseClient(c.ActiveConnection())}
}

// client speaks to the lease service directly, for two reasons. clientv3's
// Grant does not let the caller choose the id, without which a grant whose
// answer was lost can be neither repeated nor revoked. And its KeepAliveOnce
// repeats a failed request at once and without end, which keeps a processor busy
// for as long as the server is away.
type client struct {
	kv      clientv3.KV
	watcher clientv3.Watcher
	lease   pb.LeaseClient
}

func (c *client) Grant(ctx context.Context, id LeaseID, ttl time.Duration) (time.Duration, error) {
	seconds := int64((ttl + time.Second - 1) / time.Second)
	reply, err := c.lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: int64(id), TTL: seconds})
	switch err = meaning(ctx, err); {
	case errors.Is(err, rpctypes.ErrLeaseExist):
		return time.Duration(seconds) * time.Second, nil
	case err != nil:
		return 0, err
	}
	return time.Duration(reply.TTL) * time.Second, nil
}

func (c *client) KeepAlive(ctx context.Context, id LeaseID) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream
	stream, err := c.lease.LeaseKeepAlive(ctx)
	if err != nil {
		return 0, meaning(ctx, err)
	}
	// A send that fails says only that the stream has ended; Recv says why.
	_ = stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(id)})
	reply, err := stream.Recv()
	switch {
	case err != nil:
		return 0, meaning(ctx, err)
	case reply.TTL <= 0:
		return 0, ErrLeaseNotFound
	}
	return time.Duration(reply.TTL) * time.Second, nil
}

func (c *client) Revoke(ctx context.Context, id LeaseID) error {
	_, err := c.lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: int64(id)})
	return meaning(ctx, err)
}

func (c *client) Txn(ctx context.Context, txn Txn) (Result, error) {
	reply, err := c.kv.Txn(ctx).If(compares(txn.If)...).Then(ops(txn.Then)...).Else(ops(txn.Else)...).Commit()
	if err != nil {
		return Result{}, meaning(ctx, err)
	}
	res := Result{Succeeded: reply.Succeeded, Revision: reply.Header.Revision}
	for _, r := range reply.Responses {
		res.Read = append(res.Read, kvs(r.GetResponseRange().GetKvs()))
	}
	return res, nil
}

func compares(in []Compare) []clientv3.Cmp {
	var out []clientv3.Cmp
	for _, c := range in {
		cmp := clientv3.Compare(clientv3.CreateRevision(c.Key), "=", c.CreateRevision)
		if c.Prefix {
			cmp = cmp.WithPrefix()
		}
		out = append(out, cmp)
	}
	return out
}

func ops(in []Op) []clientv3.Op {
	var out []clientv3.Op
	for _, o := range in {
		switch o.Kind {
		case OpPut:
			out = append(out, clientv3.OpPut(o.Key, o.Value, clientv3.WithLease(clientv3.LeaseID(o.Lease))))
		case OpDelete:
			out = append(out, clientv3.OpDelete(o.Key))
		case OpGet:
			out = append(out, clientv3.OpGet(o.Key))
		case OpNewest:
			out = append(out, newest(o))
		}
	}
	return out
}

// newest reads whole keys: since etcd 3.7 a read without the values leaves out
// the leases too.
func newest(o Op) clientv3.Op {
	return clientv3.OpGet(o.Key,
		clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortDescend),
		clientv3.WithLimit(int64(o.Limit)),
		clientv3.WithMaxCreateRev(o.MaxCreateRevision))
}

func kvs(in []*mvccpb.KeyValue) []KV {
	var out []KV
	for _, kv := range in {
		out = append(out, KV{
			Key: string(kv.Key), Value: string(kv.Value),
			CreateRevision: kv.CreateRevision, Lease: LeaseID(kv.Lease),
		})
	}
	return out
}

// meaning sorts an error of the client into what is certain: etcd's own errors
// are answers, except those that report a failure on the way to one.
func meaning(ctx context.Context, err error) error {
	err = clientv3.ContextError(ctx, err)
	var named rpctypes.EtcdError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return ErrLeaseNotFound
	case !errors.As(err, &named):
		return err
	}
	switch named.Code() {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded, codes.DataLoss:
		return err
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}
