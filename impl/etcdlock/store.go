package etcdlock

import (
	"context"
	"errors"
	"time"
)

// Errors by which a [Store] tells what is certain. Any other error, a context's
// included, leaves open whether the request was carried out.
var (
	// ErrLeaseNotFound: the lease has expired or was revoked. The request
	// changed nothing.
	ErrLeaseNotFound = errors.New("etcd lease not found")

	// ErrRefused: etcd answered that it will not carry out the request, which
	// changed nothing. It is wrapped around etcd's reason.
	ErrRefused = errors.New("etcd refused the request")

	// ErrWatchLost: the watch ended before it saw what it was for, because its
	// revision was compacted, the member lost its leader or the stream broke.
	ErrWatchLost = errors.New("etcd watch lost")
)

// LeaseID names an etcd lease.
type LeaseID int64

// KV is what the lock reads of a key.
type KV struct {
	Key            string
	Value          string
	CreateRevision int64
	Lease          LeaseID // 0 for a key without a lease
}

// Store is the part of etcd that the lock uses. [NewStore] makes one of an etcd
// client. Every method blocks for the answer until its context ends.
type Store interface {
	// Grant makes a lease named id for ttl, rounded up to whole seconds. It
	// returns the time granted, which the server may have raised. Granting an
	// id that exists already succeeds, so a Grant can be repeated.
	Grant(ctx context.Context, id LeaseID, ttl time.Duration) (time.Duration, error)

	// KeepAlive renews a lease for its full time, which it returns, or fails
	// with [ErrLeaseNotFound].
	KeepAlive(ctx context.Context, id LeaseID) (time.Duration, error)

	// Revoke ends a lease and deletes its keys.
	Revoke(ctx context.Context, id LeaseID) error

	// Txn carries out a transaction. A Put under a lease that does not exist
	// fails with [ErrLeaseNotFound].
	Txn(ctx context.Context, txn Txn) (Result, error)

	// Watch opens a watch for the deletion of key and returns once the server
	// has confirmed it. It sees what happens from now on: a caller that knows
	// of the key from before has to look again after Watch has returned.
	//
	// It does not start at a past revision, although that would save the
	// second look, because etcd serves such a watch from a loop that runs every
	// 100 ms (syncWatchersLoop in etcd's server/storage/mvcc).
	//
	// The watch ends with ctx or by Close.
	Watch(ctx context.Context, key string) (Watch, error)
}

// Watch is an open watch on one key.
type Watch interface {
	// WaitDeleted blocks until the key is deleted. It fails with [ErrWatchLost]
	// or the context's error.
	WaitDeleted(ctx context.Context) error

	// Close ends the watch. It must be called, and does not block.
	Close()
}

// Txn is an etcd transaction: Then if every comparison holds, otherwise Else.
type Txn struct {
	If   []Compare
	Then []Op
	Else []Op
}

// Compare holds when Key was created at CreateRevision; 0 means that there is no
// such key. With Prefix it speaks of all keys that begin with Key.
type Compare struct {
	Key            string
	Prefix         bool
	CreateRevision int64
}

// OpKind says what an [Op] does.
type OpKind int

// The kinds of operation.
const (
	OpPut OpKind = iota + 1
	OpDelete
	OpGet
	OpNewest
)

// Op is one operation in a transaction; see [Put], [Delete], [Get] and [Newest].
type Op struct {
	Kind  OpKind
	Key   string
	Value string
	Lease LeaseID
	// Limit and MaxCreateRevision are for OpNewest; 0 means without limit.
	Limit             int
	MaxCreateRevision int64
}

// Put writes key, bound to lease unless that is 0.
func Put(key, value string, lease LeaseID) Op {
	return Op{Kind: OpPut, Key: key, Value: value, Lease: lease}
}

// Delete removes key, if it exists.
func Delete(key string) Op { return Op{Kind: OpDelete, Key: key} }

// Get reads key.
func Get(key string) Op { return Op{Kind: OpGet, Key: key} }

// Newest reads the keys that begin with prefix and were created at maxCreate or
// earlier, the newest first and at most limit of them.
func Newest(prefix string, limit int, maxCreate int64) Op {
	return Op{Kind: OpNewest, Key: prefix, Limit: limit, MaxCreateRevision: maxCreate}
}

// Result is the outcome of a transaction.
type Result struct {
	// Succeeded reports whether the comparisons held.
	Succeeded bool
	// Revision is that of the store after the transaction.
	Revision int64
	// Read holds for every operation carried out, in order, the keys that it
	// read.
	Read [][]KV
}
