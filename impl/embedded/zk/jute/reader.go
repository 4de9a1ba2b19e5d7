package jute

import (
	"encoding/binary"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// ErrMalformed is returned for a frame that ends too early or whose lengths
// make no sense.
var ErrMalformed = errors.New("jute: malformed frame")

// reader takes values off the front of a frame. After the first failure it
// returns zero values, so that callers check err once, at the end.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.rest) {
		r.err = ErrMalformed
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) bool() bool {
	b := r.take(1)
	return b != nil && b[0] != 0
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// bytes returns nil for null. The result is a copy.
func (r *reader) bytes() []byte {
	n := r.int32()
	if n == -1 {
		return nil
	}
	return append([]byte{}, r.take(int(n))...)
}

func (r *reader) string() string {
	n := r.int32()
	if n == -1 {
		return ""
	}
	return string(r.take(int(n)))
}

// count reads the length of a vector whose elements take at least size bytes
// each. A length that the frame cannot hold is refused before anything is
// allocated for it.
func (r *reader) count(size int) int {
	n := r.int32()
	if n == -1 {
		return 0
	}
	if n < 0 || int(n) > len(r.rest)/size {
		r.err = ErrMalformed
		return 0
	}
	return int(n)
}

func (r *reader) strings() []string {
	n := r.count(4)
	out := make([]string, 0, n)
	for range n {
		out = append(out, r.string())
	}
	return out
}

func (r *reader) acl() []state.ACL {
	n := r.count(12)
	out := make([]state.ACL, 0, n)
	for range n {
		out = append(out, state.ACL{Perms: r.int32(), Scheme: r.string(), ID: r.string()})
	}
	return out
}
