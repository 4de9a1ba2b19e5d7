package consul

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/hashicorp/consul/api"
)

// Server serves a Store on a TCP port.
type Server struct {
	store    *Store
	owned    bool // Close closes the Store too
	listener net.Listener
	http     *http.Server
	running  sync.WaitGroup // the accept loop and every connection
	serveErr error
}

// Start makes a server with an empty state on a free port of the loopback
// interface.
func Start(opts Options) (*Server, error) {
	store := NewStore(opts)
	s, err := Serve(store, "127.0.0.1:0")
	if err != nil {
		store.Close()
		return nil, err
	}
	s.owned = true
	return s, nil
}

// Serve makes a server for an existing state. Its Close leaves the state alone,
// so that another Serve can go on with it: a restart.
func Serve(store *Store, addr string) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("embedded consul: %w", err)
	}
	s := &Server{store: store, listener: l}
	s.http = &http.Server{Handler: Handler(store), ConnState: s.count}
	s.running.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.serveErr = err
		}
	})
	return s, nil
}

// count lets Close wait for the goroutines of all connections. New ones are
// reported by the accept loop, so none can come after it.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.running.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.running.Done()
	}
}

// Addr is where the server listens, as host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Store is the state behind the server.
func (s *Server) Store() *Store { return s.store }

// Client makes a client of the server. Its connections end with the server.
func (s *Server) Client() (*api.Client, error) {
	return api.NewClient(&api.Config{Address: s.Addr()})
}

// Close cuts all connections, also those of blocking queries, and returns when
// nothing of the server runs any more.
func (s *Server) Close() error {
	err := s.http.Close()
	s.running.Wait()
	if s.owned {
		s.store.Close()
	}
	return errors.Join(err, s.serveErr)
}
