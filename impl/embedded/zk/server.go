package zk

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// ErrStopped is returned for a connection to a server that does not run.
var ErrStopped = errors.New("embedded zookeeper: the server is stopped")

// Options are the settings of a server. The zero value has the defaults of the
// real one: a tick of 2 s, session timeouts from 4 s to 40 s.
type Options = state.Options

// Server is one server. Its methods are safe for concurrent use.
type Server struct {
	machine *state.Machine
	addr    string // empty without a port

	mu      sync.Mutex
	ln      net.Listener // nil while stopped or without a port
	stopped bool
	closed  bool
	conns   map[*conn]struct{}
	fault   Fault
	counts  map[state.Op]int

	running sync.WaitGroup
}

// InMemory starts a server without a port: only clients that use [Server.Dial]
// reach it. Inside a testing/synctest bubble it lives in the bubble's time. The
// caller must Close it.
func InMemory(opts Options) *Server {
	return &Server{
		machine: state.New(opts),
		conns:   make(map[*conn]struct{}),
		counts:  make(map[state.Op]int),
	}
}

// Listen starts a server on a free loopback port. The caller must Close it.
func Listen(opts Options) (*Server, error) {
	s := InMemory(opts)
	if err := s.listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.addr = s.ln.Addr().String()
	return s, nil
}

// Addr is the host and port of the server, or empty for one without a port.
func (s *Server) Addr() string { return s.addr }

// URL is the address as zklock.Open takes it, or empty for a server without a
// port.
func (s *Server) URL() string {
	if s.addr == "" {
		return ""
	}
	return "zk://" + s.addr
}

// Machine is what the server keeps, for looking at it and for making sessions
// expire.
func (s *Server) Machine() *state.Machine { return s.machine }

// Dial opens a connection through a pipe, whatever the address. It has the form
// of a go-zookeeper dialer. See [Server.NewLink] for one that can be cut.
func (s *Server) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	return s.NewLink().Dial(network, address, timeout)
}

// serve talks to the client at the other end of nc until either side hangs up.
// It returns at once; the server closes nc.
func (s *Server) serve(nc net.Conn) (*conn, error) {
	c := newConn(s, nc)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		_ = nc.Close()
		return nil, ErrStopped
	}
	s.conns[c] = struct{}{}
	s.running.Go(func() {
		c.run()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	})
	return c, nil
}

// Requests tells how many requests of each kind have been carried out, pings
// and the opening of sessions apart.
func (s *Server) Requests() map[state.Op]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

func (s *Server) count(op state.Op) {
	if op == state.OpPing {
		return
	}
	s.mu.Lock()
	s.counts[op]++
	s.mu.Unlock()
}

// Stop ends the server as a crash would, and keeps what it has for a Restart.
// It returns when all connections are closed.
func (s *Server) Stop() {
	s.mu.Lock()
	s.stopped = true
	if s.ln != nil {
		_ = s.ln.Close()
		s.ln = nil
	}
	for c := range s.conns {
		c.HangUp()
	}
	s.mu.Unlock()

	s.running.Wait()
	s.machine.Suspend()
}

// Restart stops the server, if it runs, and starts it at its old address. Nodes
// and sessions are as they were, and every session has its whole timeout to come
// back.
func (s *Server) Restart() error {
	s.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrStopped
	}
	s.stopped = false
	s.machine.Resume()
	if s.addr == "" {
		return nil
	}
	return s.listen(s.addr)
}

// Close stops the server for good. No goroutine of it is left, and nothing was
// ever written to disk.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Stop()
	return nil
}

// listen opens the port and accepts connections until the listener is closed.
func (s *Server) listen(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("embedded zookeeper: listen on %s: %w", addr, err)
	}
	s.ln = ln
	s.running.Go(func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = s.serve(nc) // a stopped server has closed nc
		}
	})
	return nil
}
