package zkconn

import (
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// requestOf is a frame as the client writes it.
func requestOf(kind uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, 8)
	b = binary.BigEndian.AppendUint32(b, 1)
	return binary.BigEndian.AppendUint32(b, kind)
}

// frame is one as the server writes it.
func frame(n int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(n)), make([]byte, n)...)
}

// heldWire is the wire of a client that has come back with watches, and has read
// the handshake. The server answers with small frames and takes what it is sent.
func heldWire(t *testing.T) (w *wire, answers func(n int)) {
	client, server := net.Pipe()
	w = &wire{
		Conn: client, written: clock.Real().NewSignal(),
		opened: func(Session) {}, watching: func() bool { return true },
	}
	t.Cleanup(func() { _ = w.Close() })
	go func() { _, _ = io.Copy(io.Discard, server) }()
	handshake := frame(36)
	binary.BigEndian.PutUint32(handshake[8:], uint32(time.Minute.Milliseconds()))
	go func() { _, _ = server.Write(handshake) }()
	if _, err := io.ReadFull(w, make([]byte, len(handshake))); err != nil {
		t.Fatal(err)
	}
	return w, func(n int) {
		go func() {
			for range n {
				_, _ = server.Write(frame(4))
			}
		}()
	}
}

// readAll counts the frames that the client gets to read.
func readAll(w *wire) *atomic.Int32 {
	var n atomic.Int32
	go func() {
		for {
			if _, err := io.ReadFull(w, make([]byte, 8)); err != nil {
				return
			}
			n.Add(1)
		}
	}()
	return &n
}

func TestAnswersWaitForTheWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, answers := heldWire(t)
		got := readAll(w)
		answers(2)
		write(t, w, requestOf(4))
		synctest.Wait()
		if got.Load() != 0 {
			t.Fatal("an answer came before the watches were set")
		}
		write(t, w, requestOf(setWatches))
		synctest.Wait()
		if got.Load() != 2 {
			t.Errorf("%d answers after the watches were set, want 2", got.Load())
		}
	})
}

func TestOnlyTheAnswerToAnAuthenticationComesBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, answers := heldWire(t)
		got := readAll(w)
		answers(2)
		write(t, w, requestOf(setAuth))
		synctest.Wait()
		if got.Load() != 1 {
			t.Errorf("%d answers, want that to the authentication", got.Load())
		}
	})
}

func TestAnswersDoNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, answers := heldWire(t)
		got := readAll(w)
		answers(1)
		time.Sleep(holdLimit)
		synctest.Wait()
		if got.Load() != 1 {
			t.Error("the answer did not come")
		}
	})
}

func write(t *testing.T, w *wire, b []byte) {
	t.Helper()
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
}

func TestFramesAreFollowedHoweverTheyAreCut(t *testing.T) {
	stream := []byte{0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0, 0, 1, 'd'}
	for step := 1; step <= len(stream); step++ {
		var f frames
		var between []int
		for at := 0; at < len(stream); at += step {
			if f.between() {
				between = append(between, at)
			}
			f.follow(stream[at:min(at+step, len(stream))])
		}
		if string(f.first) != "abc" || !f.between() {
			t.Errorf("in pieces of %d: first frame %q, between frames %v", step, f.first, f.between())
		}
		if step == 1 && len(between) != 2 {
			t.Errorf("byte by byte the frames begin at %v, want 7 and 11", between)
		}
	}
}
