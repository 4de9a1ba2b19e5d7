package jute

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// appendRequest is the inverse of ReadRequest.
func appendRequest(b []byte, xid int32, q state.Request) []byte {
	b = appendInt32(appendInt32(b, xid), int32(q.Op))
	if q.Op != state.OpMulti {
		return appendRecord(b, q)
	}
	for _, sub := range q.Multi {
		b = appendMultiHeader(b, sub.Op, false, -1)
		b = appendRecord(b, sub)
	}
	return appendMultiHeader(b, -1, true, -1)
}

func appendRecord(b []byte, q state.Request) []byte {
	switch q.Op {
	case state.OpCreate, state.OpCreate2:
		b = appendInt32(appendACL(appendBytes(appendString(b, q.Path), q.Data), q.ACL), q.Flags)
	case state.OpDelete, state.OpCheck:
		b = appendInt32(appendString(b, q.Path), q.Version)
	case state.OpSetData:
		b = appendInt32(appendBytes(appendString(b, q.Path), q.Data), q.Version)
	case state.OpSetACL:
		b = appendInt32(appendACL(appendString(b, q.Path), q.ACL), q.Version)
	case state.OpExists, state.OpGetData, state.OpGetChildren, state.OpGetChildren2:
		b = appendBool(appendString(b, q.Path), q.Watch)
	case state.OpGetACL, state.OpSync:
		b = appendString(b, q.Path)
	case state.OpSetAuth:
		b = appendBytes(appendString(appendInt32(b, 0), q.Auth.Scheme), q.Auth.Data)
	case state.OpSetWatches:
		b = appendInt64(b, q.Watches.Since)
		for _, list := range [][]string{q.Watches.Data, q.Watches.Exist, q.Watches.Child} {
			b = appendStrings(b, list)
		}
	}
	return b
}

var requests = []state.Request{
	{Op: state.OpPing},
	{Op: state.OpCloseSession},
	{Op: state.OpCreate, Path: "/a", Data: []byte("x"), ACL: state.WorldACL(), Flags: state.EphemeralSequential},
	{Op: state.OpCreate2, Path: "/ä", ACL: []state.ACL{}},
	{Op: state.OpDelete, Path: "/a", Version: -1},
	{Op: state.OpExists, Path: "/a", Watch: true},
	{Op: state.OpGetData, Path: "/a"},
	{Op: state.OpSetData, Path: "/a", Data: []byte{}, Version: 7},
	{Op: state.OpGetACL, Path: "/a"},
	{Op: state.OpSetACL, Path: "/a", ACL: []state.ACL{{Perms: 1, Scheme: "digest", ID: "u:h"}}, Version: 1},
	{Op: state.OpGetChildren, Path: "/"},
	{Op: state.OpGetChildren2, Path: "/", Watch: true},
	{Op: state.OpSync, Path: "/"},
	{Op: state.OpSetAuth, Auth: state.Auth{Scheme: "digest", Data: []byte("u:p")}},
	{Op: state.OpSetWatches, Watches: &state.OldWatches{
		Since: 1 << 40, Data: []string{"/a", "/b"}, Exist: []string{}, Child: []string{"/"},
	}},
	{Op: state.OpMulti, Multi: []state.Request{
		{Op: state.OpCreate, Path: "/a", ACL: state.WorldACL()},
		{Op: state.OpCheck, Path: "/a", Version: 0},
		{Op: state.OpSetData, Path: "/a", Version: -1},
		{Op: state.OpDelete, Path: "/a", Version: -1},
	}},
	{Op: 4711},
}

func TestRequestsAreReadAsTheyWereWritten(t *testing.T) {
	for _, want := range requests {
		xid, got, err := ReadRequest(appendRequest(nil, 42, want))
		if err != nil || xid != 42 || !reflect.DeepEqual(got, want) {
			t.Errorf("op %d: read xid %d, %+v, %v; written %+v", want.Op, xid, got, err, want)
		}
	}
}

func TestFrameThatEndsTooEarlyIsRefused(t *testing.T) {
	for _, q := range requests {
		full := appendRequest(nil, 1, q)
		for n := range full {
			if _, _, err := ReadRequest(full[:n]); err == nil {
				t.Errorf("op %d: %d of %d bytes were taken for a request", q.Op, n, len(full))
			}
		}
	}
}

func TestLengthsThatMakeNoSenseAreRefused(t *testing.T) {
	header := appendInt32(appendInt32(nil, 1), int32(state.OpSetWatches))
	for name, tail := range map[string][]byte{
		"vector longer than the frame": appendInt32(appendInt64(nil, 0), 1<<30),
		"negative vector":              appendInt32(appendInt64(nil, 0), -2),
		"string longer than the frame": appendInt32(appendInt32(appendInt64(nil, 0), 1), 1<<30),
		"negative string":              appendInt32(appendInt32(appendInt64(nil, 0), 1), -7),
	} {
		if _, _, err := ReadRequest(append(bytes.Clone(header), tail...)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestConnect(t *testing.T) {
	b := appendInt32(nil, 0)
	b = appendInt64(b, 5)
	b = appendInt32(b, 10_000)
	b = appendInt64(b, 77)
	b = appendBytes(b, []byte("password"))
	c, err := ReadConnect(b)
	if err != nil || c.LastZxid != 5 || c.Timeout != 10*time.Second || c.Session != 77 || string(c.Password) != "password" || c.ReadOnly {
		t.Errorf("read %+v, %v", c, err)
	}
	if c, err := ReadConnect(append(b, 1)); err != nil || !c.ReadOnly {
		t.Errorf("with the read-only flag: %+v, %v", c, err)
	}
	if _, err := ReadConnect(b[:10]); err == nil {
		t.Error("half a frame was taken")
	}
	r := state.ConnectResponse{Session: 1, Timeout: 4 * time.Second, Password: []byte("0123456789abcdef")}
	old, current := AppendConnected(nil, r, false), AppendConnected(nil, r, true)
	if len(old) != 36 || len(current) != 37 || binary.BigEndian.Uint32(old[4:]) != 4000 {
		t.Errorf("answers %x and %x", old, current)
	}
}

func TestAnswerOfAnErrorHasNoBody(t *testing.T) {
	b := AppendResponse(nil, 3, state.Response{Op: state.OpExists, Zxid: 9, Code: state.NoNode})
	if want := 4 + 8 + 4; len(b) != want || int32(binary.BigEndian.Uint32(b[12:])) != int32(state.NoNode) {
		t.Errorf("answer %x, want %d bytes that end with the code", b, want)
	}
}

// FuzzReadRequest looks for frames that make the reader panic, allocate without
// bound, or read what it would not write.
func FuzzReadRequest(f *testing.F) {
	for _, q := range requests {
		f.Add(appendRequest(nil, 7, q))
	}
	f.Add([]byte(strings.Repeat("\xff", 40)))
	f.Fuzz(func(t *testing.T, frame []byte) {
		xid, q, err := ReadRequest(frame)
		if err != nil {
			return
		}
		xid2, again, err := ReadRequest(appendRequest(nil, xid, q))
		if err != nil || xid2 != xid || !reflect.DeepEqual(again, q) {
			t.Errorf("read %+v, written and read again %+v, %v", q, again, err)
		}
	})
}

func FuzzReadConnect(f *testing.F) {
	f.Add(make([]byte, 44))
	f.Fuzz(func(t *testing.T, frame []byte) {
		if c, err := ReadConnect(frame); err == nil && len(c.Password) > len(frame) {
			t.Errorf("%d bytes of password in a frame of %d", len(c.Password), len(frame))
		}
	})
}
