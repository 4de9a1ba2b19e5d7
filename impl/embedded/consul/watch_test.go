package consul

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"
)

// answer is what a blocked read returned, and when.
type answer struct {
	index uint64
	err   error
	after time.Duration
}

// background runs a read in the background.
func background(read func() (uint64, error)) <-chan answer {
	start, c := time.Now(), make(chan answer, 1)
	go func() {
		index, err := read()
		c <- answer{index, err, time.Since(start)}
	}()
	return c
}

func (s *Store) getIndex(ctx context.Context, key string, q Query) func() (uint64, error) {
	return func() (uint64, error) {
		_, index, err := s.Get(ctx, key, q)
		return index, err
	}
}

func TestBlockedReadReturnsWhenItsKeyChanges(t *testing.T) {
	ctx := context.Background()
	for _, tc := range []struct {
		name  string
		read  func(s *Store, index uint64) (uint64, error)
		other string // a key whose change does not matter
	}{
		{"get", func(s *Store, index uint64) (uint64, error) {
			return s.getIndex(ctx, "a/k", Query{Index: index})()
		}, "a/kk"},
		{"list", func(s *Store, index uint64) (uint64, error) {
			_, i, err := s.List(ctx, "a/", Query{Index: index})
			return i, err
		}, "b/k"},
		{"keys", func(s *Store, index uint64) (uint64, error) {
			_, i, err := s.Keys(ctx, "a/", "", Query{Index: index})
			return i, err
		}, "b/k"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, Options{})
				mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "a/k"})
				index, err := tc.read(s, 0)
				if err != nil {
					t.Fatal(err)
				}
				got := background(func() (uint64, error) { return tc.read(s, index) })
				time.Sleep(time.Second)
				mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: tc.other})
				time.Sleep(time.Second)
				mustDo(t, s, api.KVTxnOp{Verb: api.KVDelete, Key: "a/k"})
				if a := <-got; a.err != nil || a.index != s.Index() || a.after != 2*time.Second {
					t.Errorf("answer = %+v, want index %d after 2 s", a, s.Index())
				}
			})
		})
	}
}

func TestBlockedReadOfSessionsReturnsWhenOneEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		mustSession(t, s, api.SessionEntry{TTL: "10s"})
		_, index, _ := s.Sessions(context.Background(), Query{})
		list, _, err := s.Sessions(context.Background(), Query{Index: index})
		if err != nil || len(list) != 0 {
			t.Errorf("sessions = %v, %v, want none", list, err)
		}
	})
}

func TestBlockedReadIsBoundedByItsWait(t *testing.T) {
	full := func(limit time.Duration) time.Duration { return limit }
	for _, tc := range []struct {
		name       string
		wait, want time.Duration
		jitter     func(time.Duration) time.Duration
	}{
		{name: "default", want: 5 * time.Minute},
		{name: "as asked", wait: 8 * time.Second, want: 8 * time.Second},
		{name: "at most", wait: time.Hour, want: 10 * time.Minute},
		{name: "full jitter", wait: 16 * time.Second, want: 17 * time.Second, jitter: full},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, Options{Jitter: tc.jitter})
				mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "k"})
				index := s.Index()
				a := <-background(s.getIndex(context.Background(), "k", Query{Index: index, Wait: tc.wait}))
				if a.err != nil || a.index != index || a.after != tc.want {
					t.Errorf("answer = %+v, want index %d after %v", a, index, tc.want)
				}
			})
		})
	}
}

func TestRandomJitterStaysBelowASixteenth(t *testing.T) {
	opts := Options{}.withDefaults()
	for range 1000 {
		if got := (Query{Wait: 16 * time.Second}).limit(opts); got < 16*time.Second || got > 17*time.Second {
			t.Fatalf("limit = %v, want 16 to 17 s", got)
		}
	}
}

func TestReadWithAnOldIndexReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "k"})
		a := <-background(s.getIndex(context.Background(), "k", Query{Index: 1}))
		if a.after != 0 || a.index != s.Index() {
			t.Errorf("answer = %+v, want index %d at once", a, s.Index())
		}
	})
}

func TestBlockedReadEndsWithItsContextAndWithTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		ctx, cancel := context.WithCancel(context.Background())
		first := background(s.getIndex(ctx, "k", Query{Index: 99}))
		second := background(s.getIndex(context.Background(), "k", Query{Index: 99}))
		synctest.Wait()
		cancel()
		if a := <-first; !errors.Is(a.err, context.Canceled) {
			t.Errorf("error = %v, want context.Canceled", a.err)
		}
		s.Close()
		if a := <-second; !errors.Is(a.err, ErrClosed) {
			t.Errorf("error = %v, want ErrClosed", a.err)
		}
		if n := s.Blocked(); n != 0 {
			t.Errorf("%d reads are still blocked", n)
		}
	})
}

func TestRestoreTakesIndexesBackAndWakesBlockedReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		id := mustSession(t, s, api.SessionEntry{TTL: "10s"})
		mustDo(t, s, lockOp("k", id))
		old := s.Index()
		snap := s.Snapshot()
		for range 10 {
			mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "k", Value: []byte(time.Now().String())})
			time.Sleep(time.Second)
		}
		got := background(s.getIndex(context.Background(), "k", Query{Index: s.Index()}))
		synctest.Wait()
		s.Restore(snap)
		if a := <-got; a.err != nil || a.index != old {
			t.Fatalf("answer = %+v, want index %d", a, old)
		}
		if got := holder(t, s, "k"); got != id {
			t.Errorf("holder = %q, want %q", got, id)
		}

		// An index from before the restore blocks past the next changes.
		future := background(s.getIndex(context.Background(), "k", Query{Index: old + 10, Wait: time.Minute}))
		time.Sleep(20 * time.Second) // the session gets its full time again
		synctest.Wait()
		if got := holder(t, s, "k"); got != "" {
			t.Errorf("holder after 20 s = %q, want none", got)
		}
		if a := <-future; a.after != time.Minute || a.index >= old+10 {
			t.Errorf("answer = %+v, want a small index after a minute", a)
		}
	})
}

func TestListIndexSurvivesADeletionForAQuarterOfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		ctx := context.Background()
		mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "a/1"})
		first := s.Index()
		mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "a/2"})
		mustDo(t, s, api.KVTxnOp{Verb: api.KVDelete, Key: "a/2"})
		deleted := s.Index()
		if _, index, _ := s.List(ctx, "a/", Query{}); index != deleted {
			t.Errorf("index = %d, want that of the deletion, %d", index, deleted)
		}
		time.Sleep(graveTTL + time.Second)
		if _, index, _ := s.List(ctx, "a/", Query{}); index != first {
			t.Errorf("index later = %d, want that of the youngest key, %d", index, first)
		}
	})
}

func TestGravesDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		for i := range 4 * minSweep {
			s.graves.bury(string(rune(i))+"k", uint64(i))
			time.Sleep(graveTTL / minSweep)
		}
		if got := len(s.graves.graves); got > 2*minSweep {
			t.Errorf("%d graves, want at most %d", got, 2*minSweep)
		}
	})
}
