package zk

import (
	"errors"
	"net"
	"sync"
	"time"
)

// ErrUnreachable is returned for a connection over a partitioned link.
var ErrUnreachable = errors.New("embedded zookeeper: the link is partitioned")

// Link is the network between one client and the server, for tests that cut it.
// Its methods are safe for concurrent use.
type Link struct {
	srv *Server

	mu          sync.Mutex
	partitioned bool
	conns       []*conn
}

// NewLink makes a link that works.
func (s *Server) NewLink() *Link { return &Link{srv: s} }

// Dial opens a connection through a pipe, whatever the address. It has the form
// of a go-zookeeper dialer.
func (l *Link) Dial(_, _ string, _ time.Duration) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.partitioned {
		return nil, ErrUnreachable
	}
	client, server := net.Pipe()
	c, err := l.srv.serve(server)
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	l.conns = append(l.conns, c)
	return client, nil
}

// Cut ends the connections over the link. The client can connect again at once.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		c.HangUp()
	}
	l.conns = nil
}

// Partition lets nothing pass any more. Connections stay open and silent, and
// new ones are refused.
func (l *Link) Partition() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partitioned = true
	for _, c := range l.conns {
		c.mute()
	}
}

// Heal ends a partition. The connections from before it are cut.
func (l *Link) Heal() {
	l.mu.Lock()
	l.partitioned = false
	l.mu.Unlock()
	l.Cut()
}
