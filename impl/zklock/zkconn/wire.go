package zkconn

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// The client writes every frame at once: its length, the number of the request
// and its kind, four bytes each, and the rest. These are kinds.
const (
	setAuth    = 100
	setWatches = 101
)

// holdLimit is how long answers are held back at most. A quarter of the session
// timeout applies where that is shorter: the client gives a connection up that is
// silent for two thirds.
const holdLimit = 500 * time.Millisecond

// wire is a connection of the client that makes up for two things.
//
// The client agrees with the server on the session timeout and tells nobody what
// it has agreed on; so the wire reads along.
//
// When it comes back over a new connection, the client sets its watches anew and
// says which transaction it has seen last. It reads that number while answers to
// other requests change it already, without a lock. After an answer that is
// faster the server believes that the client knows what happened while it was
// away, and an event is lost. So the wire holds answers back until the request
// for the watches is written.
type wire struct {
	net.Conn
	opened func(Session)
	// watching reports whether the client has watches to set anew.
	watching func() bool

	in      frames        // what was read
	limit   time.Duration // of the wait before an answer
	written clock.Signal

	mu      sync.Mutex
	holding bool
	free    int // answers to authentication, which comes before the watches
}

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if w.in.between() {
		w.hold()
	}
	n, err := w.Conn.Read(p)
	first := w.in.complete == 0
	w.in.follow(p[:n])
	if first && w.in.complete > 0 {
		w.handshake()
	}
	return n, err
}

// handshake takes the session from the first frame: a version (4 bytes), the
// timeout in milliseconds (4), the id (8) and a password.
func (w *wire) handshake() {
	first := w.in.first
	if len(first) < 16 {
		return // the client will refuse it
	}
	s := Session{
		Timeout: time.Duration(binary.BigEndian.Uint32(first[4:])) * time.Millisecond,
		ID:      int64(binary.BigEndian.Uint64(first[8:])),
	}
	w.limit = min(holdLimit, s.Timeout/4)
	w.mu.Lock()
	w.holding = w.watching()
	w.mu.Unlock()
	w.opened(s)
}

// hold waits until the next answer may be read.
func (w *wire) hold() {
	for w.held() {
		if w.written.Wait(context.Background(), w.limit) != nil {
			w.release()
		}
	}
}

func (w *wire) held() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holding && w.free > 0 {
		w.free--
		return false
	}
	return w.holding
}

func (w *wire) release() {
	w.mu.Lock()
	w.holding = false
	w.mu.Unlock()
	w.written.Notify()
}

// Write implements net.Conn.
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if err == nil && len(p) >= 12 {
		w.wrote(binary.BigEndian.Uint32(p[8:]))
	}
	return n, err
}

func (w *wire) wrote(kind uint32) {
	switch kind {
	case setAuth:
		w.mu.Lock()
		w.free++
		w.mu.Unlock()
		w.written.Notify()
	case setWatches:
		w.release()
	}
}

// Close implements net.Conn.
func (w *wire) Close() error {
	w.release()
	return w.Conn.Close()
}

// frames follows a stream of frames, each a length in four bytes and content. It
// keeps the content of the first.
type frames struct {
	head     []byte
	left     int // of the content of a frame
	complete int
	first    []byte
}

// between reports whether the next byte begins a frame after the first.
func (f *frames) between() bool { return f.complete > 0 && f.left == 0 && len(f.head) == 0 }

func (f *frames) follow(b []byte) {
	for len(b) > 0 {
		if f.left == 0 {
			n := min(len(b), 4-len(f.head))
			f.head = append(f.head, b[:n]...)
			b = b[n:]
			if len(f.head) == 4 {
				f.left = int(binary.BigEndian.Uint32(f.head))
				f.head = f.head[:0]
			}
			continue
		}
		n := min(len(b), f.left)
		if f.complete == 0 {
			f.first = append(f.first, b[:n]...)
		}
		b, f.left = b[n:], f.left-n
		if f.left == 0 {
			f.complete++
		}
	}
}
