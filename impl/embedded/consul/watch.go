package consul

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Query says whether a read waits for news. The zero value does not.
type Query struct {
	// Index is the index of the answer that the caller has. The read returns
	// as soon as its answer has a larger one. Zero means at once.
	Index uint64
	// Wait bounds the waiting: zero means 5 minutes, and more than 10 minutes
	// means 10 minutes. Up to a sixteenth is added at random, which keeps many
	// waiters from coming back at the same moment.
	Wait time.Duration
}

// limit is the time that the query may wait on a server with these options.
func (q Query) limit(opts Options) time.Duration {
	wait := q.Wait
	if wait <= 0 {
		wait = defaultWait
	}
	wait = min(wait, maxWait)
	return wait + opts.Jitter(wait/jitterFraction)
}

// interest is what a read is about.
type interest struct {
	sessions bool   // the sessions, otherwise keys
	key      string // this key only
	tree     bool   // or every key that starts like it
}

func (i interest) covers(key string) bool {
	return !i.sessions && (i.key == key || i.tree && strings.HasPrefix(key, i.key))
}

// watch is a blocked read. Its event is set when it shall look again.
type watch struct {
	interest
	event clock.Event
	epoch int
}

// wake wakes the blocked reads that f selects, in the order of their coming.
func (s *Store) wake(f func(interest) bool) {
	for _, w := range s.watches {
		if f(w.interest) {
			w.event.Set()
		}
	}
}

func (s *Store) wakeAll() { s.wake(func(interest) bool { return true }) }

// Blocked is the number of reads that wait for news.
func (s *Store) Blocked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watches)
}

// read calls look, which takes the answer and returns its index, until the
// answer is the one that q asks for. Look runs under the lock.
func (s *Store) read(ctx context.Context, q Query, on interest, look func() uint64) (uint64, error) {
	w, index, err := s.firstLook(q, on, look)
	if w == nil {
		return index, err
	}
	end := s.clk.Now().Add(q.limit(s.opts))
	for {
		err := w.event.Wait(ctx, max(0, end.Sub(s.clk.Now())))
		if err != nil && !errors.Is(err, clock.ErrTimeout) {
			s.unwatch(w)
			return 0, err
		}
		if index, done, err := s.lookAgain(w, q, err != nil, look); done {
			return index, err
		}
	}
}

// firstLook answers the query, or returns a watch where it has to wait.
func (s *Store) firstLook(q Query, on interest, look func() uint64) (*watch, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, 0, ErrClosed
	}
	index := look()
	if q.Index == 0 || index > q.Index {
		return nil, index, nil
	}
	w := &watch{interest: on, event: s.clk.NewEvent(), epoch: s.epoch}
	s.watches = append(s.watches, w)
	return w, index, nil
}

// lookAgain looks after w was woken, or for the last time.
func (s *Store) lookAgain(w *watch, q Query, last bool, look func() uint64) (index uint64, done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.drop(w)
		return 0, true, ErrClosed
	}
	index = look()
	if last || index > q.Index || s.epoch != w.epoch {
		s.drop(w)
		return index, true, nil
	}
	w.event = s.clk.NewEvent()
	return index, false, nil
}

func (s *Store) unwatch(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(w)
}

func (s *Store) drop(w *watch) {
	s.watches = slices.DeleteFunc(s.watches, func(x *watch) bool { return x == w })
}
