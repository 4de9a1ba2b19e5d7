// Package etcd runs a real etcd server inside the process: one member, on
// loopback ports of its own, with its data in a temporary folder. Tests,
// examples and the demo use it; nothing has to be installed.
//
// What belongs here: starting, restarting and stopping that server, and making
// clients for it. What does not: anything about locks. The server is etcd's own
// code (go.etcd.io/etcd/server/v3/embed), not an imitation, so what holds here
// holds for an installed etcd, with two differences: writes are not forced to
// disk, and elections are quick, which lowers the smallest lease that the server
// grants from 2 s to [MinTTL].
package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// MinTTL is the shortest lease that this server grants; it raises a shorter
// request to it. etcd derives it from the election timeout.
const MinTTL = time.Second

// ErrClosed is returned by the methods of a Server after Close.
var ErrClosed = errors.New("embedded etcd: server is closed")

// Server is one running etcd member. Its methods are safe for concurrent use.
type Server struct {
	dir    string
	client url.URL
	peer   url.URL

	mu      sync.Mutex
	closed  bool
	running *instance // nil while stopped
}

// instance is one life of the server, between a start and a stop.
type instance struct {
	etcd    *embed.Etcd
	streams *streams
}

// Start starts a server and waits until it answers, or until ctx ends. The
// caller must Close it.
func Start(ctx context.Context) (*Server, error) {
	dir, err := os.MkdirTemp("", "lockstep-etcd-")
	if err != nil {
		return nil, fmt.Errorf("embedded etcd: make the data folder: %w", err)
	}
	s := &Server{dir: dir}
	if err := s.startOnFreePorts(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// Endpoint is the URL of the server for clients, such as http://127.0.0.1:32379.
// It stays the same over a Restart.
func (s *Server) Endpoint() string { return s.client.String() }

// NewClient makes a client of this server that logs nothing. The caller must
// close it, best before the server. Options may add interceptors, for example
// to count requests.
func (s *Server) NewClient(opts ...grpc.DialOption) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints:   []string{s.Endpoint()},
		DialOptions: opts,
		Logger:      zap.NewNop(),
	})
}

// Stop stops the server and keeps its data and ports for a later Restart.
// Clients see their connections end as if the server had crashed.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.stopRunning()
	return nil
}

// Restart stops the server, if it runs, and starts it on the same ports and
// data. Leases survive and count anew from the restart.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.stopRunning()
	run, err := launch(ctx, s.dir, s.client, s.peer)
	if err != nil {
		return fmt.Errorf("embedded etcd: restart: %w", err)
	}
	s.running = run
	return nil
}

// Close stops the server and removes its data. Closing again does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopRunning()
	s.closed = true
	return os.RemoveAll(s.dir)
}

func (s *Server) stopRunning() {
	if s.running != nil {
		s.running.stop()
		s.running = nil
	}
}
