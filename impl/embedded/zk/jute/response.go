package jute

import (
	"encoding/binary"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

const (
	eventXid      = -1
	syncConnected = 3 // the state of the session in an event
)

// AppendConnected appends the answer to the first frame.
func AppendConnected(b []byte, c state.ConnectResponse, readOnly bool) []byte {
	b = appendInt32(b, 0)
	b = appendInt32(b, int32(c.Timeout.Milliseconds()))
	b = appendInt64(b, c.Session)
	b = appendBytes(b, c.Password)
	if readOnly {
		b = append(b, 0) // this server never is
	}
	return b
}

// AppendResponse appends the answer to the request that the client numbered
// xid.
func AppendResponse(b []byte, xid int32, r state.Response) []byte {
	b = appendInt32(b, xid)
	b = appendInt64(b, r.Zxid)
	b = appendInt32(b, int32(r.Code))
	if r.Code != state.OK {
		return b
	}
	if r.Op == state.OpMulti {
		return appendResults(b, r.Results)
	}
	return appendBody(b, r)
}

func appendBody(b []byte, r state.Response) []byte {
	switch r.Op {
	case state.OpCreate, state.OpSync:
		b = appendString(b, r.Path)
	case state.OpCreate2:
		b = appendStat(appendString(b, r.Path), r.Stat)
	case state.OpExists, state.OpSetData, state.OpSetACL:
		b = appendStat(b, r.Stat)
	case state.OpGetData:
		b = appendStat(appendBytes(b, r.Data), r.Stat)
	case state.OpGetACL:
		b = appendStat(appendACL(b, r.ACL), r.Stat)
	case state.OpGetChildren:
		b = appendStrings(b, r.Children)
	case state.OpGetChildren2:
		b = appendStat(appendStrings(b, r.Children), r.Stat)
	case state.OpError:
		b = appendInt32(b, int32(r.Code))
	}
	return b
}

func appendResults(b []byte, results []state.Response) []byte {
	for _, r := range results {
		b = appendMultiHeader(b, r.Op, false, r.Code)
		b = appendBody(b, r)
	}
	return appendMultiHeader(b, state.OpError, true, -1)
}

func appendMultiHeader(b []byte, op state.Op, done bool, code state.Code) []byte {
	b = appendInt32(b, int32(op))
	b = appendBool(b, done)
	return appendInt32(b, int32(code))
}

// AppendEvent appends the message that a watch fired.
func AppendEvent(b []byte, e state.Event) []byte {
	b = appendInt32(b, eventXid)
	b = appendInt64(b, -1)
	b = appendInt32(b, int32(state.OK))
	b = appendInt32(b, int32(e.Type))
	b = appendInt32(b, syncConnected)
	return appendString(b, e.Path)
}

func appendStat(b []byte, s state.Stat) []byte {
	b = appendInt64(b, s.Czxid)
	b = appendInt64(b, s.Mzxid)
	b = appendInt64(b, s.Ctime)
	b = appendInt64(b, s.Mtime)
	b = appendInt32(b, s.Version)
	b = appendInt32(b, s.Cversion)
	b = appendInt32(b, s.Aversion)
	b = appendInt64(b, s.EphemeralOwner)
	b = appendInt32(b, s.DataLength)
	b = appendInt32(b, s.NumChildren)
	return appendInt64(b, s.Pzxid)
}

func appendACL(b []byte, list []state.ACL) []byte {
	b = appendInt32(b, int32(len(list)))
	for _, a := range list {
		b = appendInt32(b, a.Perms)
		b = appendString(b, a.Scheme)
		b = appendString(b, a.ID)
	}
	return b
}

func appendStrings(b []byte, list []string) []byte {
	b = appendInt32(b, int32(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendInt32(b []byte, v int32) []byte { return binary.BigEndian.AppendUint32(b, uint32(v)) }
func appendInt64(b []byte, v int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(v)) }

func appendString(b []byte, s string) []byte {
	return append(appendInt32(b, int32(len(s))), s...)
}

func appendBytes(b, data []byte) []byte {
	if data == nil {
		return appendInt32(b, -1)
	}
	return append(appendInt32(b, int32(len(data))), data...)
}
