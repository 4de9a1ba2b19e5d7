package zkconn

import (
	"sync"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// sessions follows the client from session to session.
type sessions struct {
	ready clock.Event // set by the first session

	mu        sync.Mutex
	current   Session
	listeners map[*func(int64)]struct{}
}

func newSessions(clk clock.Clock) *sessions {
	return &sessions{ready: clk.NewEvent(), listeners: make(map[*func(int64)]struct{})}
}

func (s *sessions) get() Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// opened takes what a server answered to a connection: the session as before, a
// new one, or none, which means that the one before has expired.
func (s *sessions) opened(next Session) {
	s.mu.Lock()
	ended := s.current.ID
	if ended == next.ID {
		ended = 0
	}
	s.current = next
	var tell []func(int64)
	if ended != 0 {
		for f := range s.listeners {
			tell = append(tell, *f)
		}
	}
	s.mu.Unlock()

	for _, f := range tell {
		f(ended)
	}
	if next.ID != 0 {
		s.ready.Set()
	}
}

func (s *sessions) listen(f func(int64)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[&f] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, &f)
	}
}
