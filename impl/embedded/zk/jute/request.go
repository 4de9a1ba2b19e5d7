package jute

import (
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// Connect is the first frame of a connection.
type Connect struct {
	state.ConnectRequest
	// ReadOnly reports whether the client sent the read-only flag at all, as
	// clients since ZooKeeper 3.4 do. The answer then has one as well.
	ReadOnly bool
}

// ReadConnect reads the frame that opens a connection.
func ReadConnect(frame []byte) (Connect, error) {
	r := reader{rest: frame}
	var c Connect
	r.int32() // protocol version, always 0
	c.LastZxid = r.int64()
	c.Timeout = time.Duration(r.int32()) * time.Millisecond
	c.Session = r.int64()
	c.Password = r.bytes()
	c.ReadOnly = r.err == nil && len(r.rest) > 0
	return c, r.err
}

// ReadRequest reads any later frame: the number that the client gave to its
// request, and the request. Of a kind that is not supported, nothing but Op is
// read.
func ReadRequest(frame []byte) (xid int32, req state.Request, err error) {
	r := reader{rest: frame}
	xid = r.int32()
	op := state.Op(r.int32())
	if op == state.OpMulti {
		req = state.Request{Op: op, Multi: r.multi()}
	} else {
		req = r.request(op)
	}
	return xid, req, r.err
}

// request reads the record of one operation. The fields are read in the order
// in which they are written here.
func (r *reader) request(op state.Op) state.Request {
	q := state.Request{Op: op}
	switch op {
	case state.OpCreate, state.OpCreate2:
		q.Path, q.Data, q.ACL, q.Flags = r.string(), r.bytes(), r.acl(), r.int32()
	case state.OpDelete, state.OpCheck:
		q.Path, q.Version = r.string(), r.int32()
	case state.OpSetData:
		q.Path, q.Data, q.Version = r.string(), r.bytes(), r.int32()
	case state.OpSetACL:
		q.Path, q.ACL, q.Version = r.string(), r.acl(), r.int32()
	case state.OpExists, state.OpGetData, state.OpGetChildren, state.OpGetChildren2:
		q.Path, q.Watch = r.string(), r.bool()
	case state.OpGetACL, state.OpSync:
		q.Path = r.string()
	case state.OpSetAuth:
		r.int32() // type, always 0
		q.Auth = state.Auth{Scheme: r.string(), Data: r.bytes()}
	case state.OpSetWatches:
		q.Watches = &state.OldWatches{Since: r.int64(), Data: r.strings(), Exist: r.strings(), Child: r.strings()}
	}
	return q
}

// multi reads operations, each behind a header, until a header says that there
// are no more. An operation that may not stand in a multi has no known length,
// so nothing can be read behind it.
func (r *reader) multi() []state.Request {
	var ops []state.Request
	for r.err == nil {
		op, done := state.Op(r.int32()), r.bool()
		r.int32() // error, of no use in a request
		if done || r.err != nil {
			break
		}
		ops = append(ops, r.request(op))
		if !allowedInMulti(op) {
			break
		}
	}
	return ops
}

func allowedInMulti(op state.Op) bool {
	switch op {
	case state.OpCreate, state.OpCreate2, state.OpDelete, state.OpSetData, state.OpCheck:
		return true
	}
	return false
}
