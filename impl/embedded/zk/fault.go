package zk

import (
	"sync/atomic"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// Action is what a fault does with a request.
type Action int

const (
	// Pass carries the request out.
	Pass Action = iota
	// CutBefore ends the connection instead: the request is lost.
	CutBefore
	// CutAfter carries the request out and ends the connection instead of
	// answering: the reply is lost.
	CutAfter
)

// Fault decides about every request, pings included, before it is carried out.
// It is called by many goroutines.
type Fault func(session int64, req state.Request) Action

// SetFault puts a fault in place of the one before. Nil lets every request pass.
func (s *Server) SetFault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Once is a fault that strikes at the next request of kind op, alone or in a
// multi, and never again.
func Once(op state.Op, a Action) Fault {
	var struck atomic.Bool
	return func(_ int64, req state.Request) Action {
		if req.Has(op) && struck.CompareAndSwap(false, true) {
			return a
		}
		return Pass
	}
}

func (s *Server) faultFor(session int64, req state.Request) Action {
	s.mu.Lock()
	f := s.fault
	s.mu.Unlock()
	if f == nil {
		return Pass
	}
	return f(session, req)
}
