package zkconn

import (
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// firstContact opens the client's connections, and notices when no server can
// be reached at the start. Later the client tries for as long as it lives.
type firstContact struct {
	cfg      Config
	hosts    *hosts
	sessions *sessions
	watches  *watches

	mu       sync.Mutex
	failures int
	last     error
}

func (f *firstContact) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	nc, err := f.cfg.Dialer(network, address, timeout)
	if err != nil {
		f.failed(err)
		return nil, err
	}
	return &wire{
		Conn: nc, opened: f.sessions.opened, watching: f.watches.any,
		written: f.cfg.Clock.NewSignal(),
	}, nil
}

func (f *firstContact) failed(err error) {
	f.mu.Lock()
	f.failures++
	f.last = err
	all := f.failures >= f.hosts.Len()
	f.mu.Unlock()
	if all {
		f.sessions.ready.Set()
	}
}

// explain adds why the last connection failed, if one did.
func (f *firstContact) explain(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, f.last)
}

// hosts chooses the server to connect to. The client's own choice comes round to
// the same server at once where there is one only; the client takes that for a
// failure of all and pauses for a second before it dials, which is a good part of
// a session. Here the first try after a connection has broken goes without the
// pause.
type hosts struct {
	*zk.DNSHostProvider
	connected bool
}

// Connected implements zk.HostProvider.
func (h *hosts) Connected() {
	h.connected = true
	h.DNSHostProvider.Connected()
}

// Next implements zk.HostProvider.
func (h *hosts) Next() (server string, retryStart bool) {
	server, retryStart = h.DNSHostProvider.Next()
	retryStart = retryStart && !h.connected
	h.connected = false
	return server, retryStart
}
