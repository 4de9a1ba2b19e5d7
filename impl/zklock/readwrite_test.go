package zklock_test

import (
	"errors"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
)

// readWrite makes a read-write lock in a process of its own.
func (w world) readWrite() *zklock.ReadWrite {
	w.Helper()
	rw := must(zklock.NewReadWrite(w.dial(w.srv.NewLink()), zklock.Config{}))
	w.Cleanup(func() { _ = rw.Close() })
	return rw
}

func TestReadersShareAndWritersExclude(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		one, two := w.acquire(w.readWrite().Reader(), "k"), w.acquire(w.readWrite().Reader(), "k")
		writer := w.begin(w.readWrite().Writer(), "k")
		w.release(one)
		if writer.granted() {
			t.Fatal("the writer got in beside a reader")
		}
		w.release(two)
		if !writer.granted() {
			t.Fatal("the writer was not let in after the readers")
		}
		reader := w.begin(w.readWrite().Reader(), "k")
		other := w.begin(w.readWrite().Writer(), "k")
		if reader.granted() || other.granted() {
			t.Fatal("somebody got in beside the writer")
		}
		w.release(writer.lease)
		if !reader.granted() || other.granted() {
			t.Errorf("after the writer: reader %v, next writer %v; want the reader", reader.granted(), other.granted())
		}
	})
}

func TestReaderDoesNotOvertakeAWaitingWriter(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		first := w.acquire(w.readWrite().Reader(), "k")
		writer := w.begin(w.readWrite().Writer(), "k")
		late := w.begin(w.readWrite().Reader(), "k")
		if late.granted() {
			t.Fatal("the late reader overtook the writer")
		}
		if _, err := w.readWrite().Reader().TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("try to read behind a writer: %v", err)
		}
		w.release(first)
		w.release(must(writer.result()))
		if !late.granted() {
			t.Error("the late reader was not let in after the writer")
		}
	})
}

func TestWriterWithASlowReaderLeavesReadersAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		w.acquire(w.readWrite().Reader(), "k")
		if _, err := w.readWrite().Reader().TryAcquire(t.Context(), "k"); err != nil {
			t.Errorf("try to read beside a reader: %v", err)
		}
		if _, err := w.readWrite().Writer().TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("try to write beside readers: %v", err)
		}
		w.wantQueue("k", 2)
	})
}

// Write, then read, then both unlocks by one owner, in either order: redisson 891.
func TestOwnerWritesAndReads(t *testing.T) {
	for name, writeFirst := range map[string]bool{"write released first": true, "read released first": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w world) {
				rw, me := w.readWrite(), lock.WithOwner("me")
				write := w.acquire(rw.Writer(), "k", me)
				read := w.acquire(rw.Reader(), "k", me)
				first, last := read, write
				if writeFirst {
					first, last = write, read
				}
				w.release(first)
				w.wantQueue("k", 1)
				w.release(last)
				w.wantQueue("k", 0)
			})
		})
	}
}

func TestDowngradeLetsTheReadersBehindInAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		rw, me := w.readWrite(), lock.WithOwner("me")
		write := w.acquire(rw.Writer(), "k", me)
		read := w.acquire(rw.Reader(), "k", me)
		one, two := w.begin(w.readWrite().Reader(), "k"), w.begin(w.readWrite().Reader(), "k")
		writer := w.begin(w.readWrite().Writer(), "k")
		w.release(write)
		if !one.granted() || !two.granted() || writer.granted() {
			t.Fatalf("after the downgrade: readers %v and %v, writer %v; want the readers",
				one.granted(), two.granted(), writer.granted())
		}
		if _, err := w.readWrite().Writer().TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("try to write beside readers: %v", err)
		}
		w.release(must(one.result()))
		w.release(must(two.result()))
		if writer.granted() {
			t.Fatal("the writer got in beside the one that had been downgraded")
		}
		w.release(read)
		if !writer.granted() {
			t.Error("the writer was not let in at the end")
		}
	})
}

// A writes, B queues to write, A also reads and drops the write: B waits
// (curator 621).
func TestWriterInTheQueueWaitsForADowngradedOne(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		rw, me := w.readWrite(), lock.WithOwner("me")
		write := w.acquire(rw.Writer(), "k", me)
		b := w.begin(w.readWrite().Writer(), "k")
		read := w.acquire(rw.Reader(), "k", me)
		w.release(write)
		if b.granted() {
			t.Fatal("B writes while A reads")
		}
		w.release(read)
		if !b.granted() {
			t.Error("B was not let in")
		}
	})
}

func TestUpgradeIsAnErrorAndNoDeadlock(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		rw, me := w.readWrite(), lock.WithOwner("me")
		read := w.acquire(rw.Reader(), "k", me)
		if _, err := rw.Writer().Acquire(t.Context(), "k", me); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("upgrade: %v, want ErrInvalid", err)
		}
		again := w.acquire(rw.Reader(), "k", me)
		w.release(read)
		w.release(again)

		write := w.acquire(rw.Writer(), "k", me)
		read = w.acquire(rw.Reader(), "k", me)
		w.release(write)
		if _, err := rw.Writer().TryAcquire(t.Context(), "k", me); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("upgrade after a downgrade: %v, want ErrInvalid", err)
		}
		w.release(read)
	})
}

// A reader that waits enters again at once what it holds, whoever waits between.
func TestReaderReentersBeforeAWaitingWriter(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		rw, me := w.readWrite(), lock.WithOwner("me")
		read := w.acquire(rw.Reader(), "k", me)
		w.begin(w.readWrite().Writer(), "k")
		again := w.begin(rw.Reader(), "k", me)
		if !again.granted() {
			t.Fatal("the reader waits for a writer that waits for it")
		}
		w.release(read)
	})
}

func TestDowngradeIsMadeGoodAfterALostConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		rw, me := w.readWrite(), lock.WithOwner("me")
		write := w.acquire(rw.Writer(), "k", me)
		w.acquire(rw.Reader(), "k", me)
		reader := w.begin(w.readWrite().Reader(), "k")
		w.srv.SetFault(cutOnce(state.OpSetData))
		w.release(write)
		if _, err := reader.result(); err != nil {
			t.Error(err)
		}
	})
}
