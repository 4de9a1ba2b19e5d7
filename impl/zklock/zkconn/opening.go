package zkconn

import (
	"net"
	"slices"
	"sync"
	"time"
)

// opening watches the connections of a client until it has its first session.
// The client waits for several session timeouts on a server that accepts a
// connection and says nothing, and its Close waits for that; cutting the
// connection ends both.
type opening struct {
	dial func(network, address string, timeout time.Duration) (net.Conn, error)

	mu    sync.Mutex
	conns []net.Conn
	state openingState
}

type openingState int

const (
	underWay openingState = iota
	succeeded
	givenUp
)

func (o *opening) connect(network, address string, timeout time.Duration) (net.Conn, error) {
	conn, err := o.dial(network, address, timeout)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch o.state {
	case underWay:
		o.conns = append(o.conns, conn)
	case givenUp:
		_ = conn.Close() // nobody is left to whom its failure could matter
		return nil, net.ErrClosed
	}
	return conn, nil
}

// succeed lets the connections live.
func (o *opening) succeed() { o.end(succeeded) }

// giveUp cuts the connections and refuses new ones.
func (o *opening) giveUp() {
	for _, conn := range o.end(givenUp) {
		_ = conn.Close() // see connect
	}
}

func (o *opening) end(s openingState) []net.Conn {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state = s
	conns := slices.Clone(o.conns)
	o.conns = nil
	return conns
}
