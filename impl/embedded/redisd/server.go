// Package redisd runs a Redis inside the process: miniredis, with keys that
// expire by the clock. Tests, examples and the demo use it; nothing has to be
// installed.
//
// What belongs here: starting and stopping that server, and the settings of a
// client that locks should have. What does not: anything about locks. miniredis
// (github.com/alicebob/miniredis) keeps its data in memory and has neither
// replicas nor persistence; it deletes an expired key when it is next looked
// at, as Redis does.
package redisd

import (
	"context"
	"fmt"
	"net"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Server is one running server. Its methods are safe for concurrent use.
type Server struct {
	mini *miniredis.Miniredis
	addr string // empty without a listener
}

// InMemory starts a server that has no port: only clients made from its own
// options reach it, through a pipe. Inside a testing/synctest bubble its keys
// expire in the bubble's time. The caller must Close it.
func InMemory() *Server {
	mini := miniredis.NewMiniRedis()
	mini.ClockTTL(true)
	return &Server{mini: mini}
}

// Listen starts a server on a free loopback port. The caller must Close it.
func Listen() (*Server, error) {
	s := InMemory()
	if err := s.mini.Start(); err != nil {
		return nil, fmt.Errorf("embedded redis: listen on a loopback port: %w", err)
	}
	s.addr = s.mini.Addr()
	return s, nil
}

// Addr is the host and port of the server, or empty for one without a port.
func (s *Server) Addr() string { return s.addr }

// URL is the address as redis.ParseURL takes it, or empty for a server without
// a port.
func (s *Server) URL() string {
	if s.addr == "" {
		return ""
	}
	return "redis://" + s.addr
}

// Options returns settings for a client of this server. The caller may change
// them.
func (s *Server) Options() *redis.Options {
	o := &redis.Options{
		Addr:                     s.addr,
		ContextTimeoutEnabled:    true,
		MaxRetries:               -1,
		Protocol:                 2,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if s.addr == "" {
		o.Addr = "in-memory"
		o.Dialer = func(context.Context, string, string) (net.Conn, error) { return s.mini.Dial() }
	}
	return o
}

// Client makes a client with [Server.Options]. The caller must close it, best
// before the server.
func (s *Server) Client() *redis.Client { return redis.NewClient(s.Options()) }

// Close stops the server, ends its connections and waits for them. Closing
// again does nothing.
func (s *Server) Close() { s.mini.Close() }
