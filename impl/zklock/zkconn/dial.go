package zkconn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	defaultSessionTimeout = 10 * time.Second
	defaultDialTimeout    = 5 * time.Second

	// minSessionTimeout is far below what any server grants; shorter ones are
	// taken for a mistake in the unit.
	minSessionTimeout = 100 * time.Millisecond
)

// Config says how to reach ZooKeeper.
type Config struct {
	// Servers are host:port pairs of one ensemble; the port may be left out and
	// is 2181 then.
	Servers []string

	// SessionTimeout is the wish of the client; the server raises or lowers it
	// to its own bounds, by default 4 s to 40 s. At least 100 ms; zero means
	// 10 s.
	SessionTimeout time.Duration

	// DialTimeout bounds the wait for the first session. Zero means 5 s.
	DialTimeout time.Duration

	// Auth is "user:password" for the scheme digest. Nodes are then made for
	// this user alone. Empty means nodes that everybody may change.
	Auth string

	// Dialer opens connections. Nil means net.DialTimeout.
	Dialer func(network, address string, timeout time.Duration) (net.Conn, error)

	// Clock is used while waiting for the first session. Nil means the real
	// one. The client itself always lives in real time.
	Clock clock.Clock

	// Logf receives what the client has to say. Nil means nobody.
	Logf func(format string, args ...any)
}

// Dial connects and waits for a session. It fails when every server has refused
// the connection once, after the dial timeout, or with ctx. A setting that
// cannot work is lock.ErrInvalid.
func Dial(ctx context.Context, cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("zookeeper: %w", err)
	}
	o := &opening{dial: cfg.Dialer}
	cfg.Dialer = o.connect
	c, first, err := connect(cfg)
	if err != nil {
		return nil, fmt.Errorf("zookeeper: connect to %s: %w", strings.Join(cfg.Servers, ","), err)
	}
	if err := c.open(ctx, cfg, first); err != nil {
		o.giveUp()
		c.Close()
		return nil, fmt.Errorf("zookeeper: connect to %s: %w", strings.Join(cfg.Servers, ","), err)
	}
	o.succeed()
	return c, nil
}

func (cfg Config) withDefaults() (Config, error) {
	cfg.Clock = clock.Or(cfg.Clock)
	if cfg.SessionTimeout == 0 {
		cfg.SessionTimeout = defaultSessionTimeout
	}
	if cfg.DialTimeout == 0 {
		cfg.DialTimeout = defaultDialTimeout
	}
	if cfg.Dialer == nil {
		cfg.Dialer = net.DialTimeout
	}
	if cfg.Logf == nil {
		cfg.Logf = func(string, ...any) {}
	}
	switch {
	case len(cfg.Servers) == 0:
		return cfg, fmt.Errorf("%w: no server is named", lock.ErrInvalid)
	case cfg.SessionTimeout < minSessionTimeout:
		return cfg, fmt.Errorf("%w: session timeout %v is below the minimum of %v",
			lock.ErrInvalid, cfg.SessionTimeout, minSessionTimeout)
	case cfg.DialTimeout < 0:
		return cfg, fmt.Errorf("%w: dial timeout %v is negative", lock.ErrInvalid, cfg.DialTimeout)
	case cfg.Auth != "" && !strings.Contains(cfg.Auth, ":"):
		return cfg, fmt.Errorf("%w: auth must have the form user:password", lock.ErrInvalid)
	}
	return cfg, nil
}

// connect starts the client, which goes on trying until it is closed.
func connect(cfg Config) (*Client, *firstContact, error) {
	c := &Client{
		acl: zk.WorldACL(zk.PermAll), sessions: newSessions(cfg.Clock), watches: newWatches(),
		clk: cfg.Clock, idle: cfg.Clock.NewEvent(),
	}
	if cfg.Auth != "" {
		c.acl = zk.AuthACL(zk.PermAll)
	}
	first := &firstContact{cfg: cfg, hosts: &hosts{DNSHostProvider: zk.NewDNSHostProvider()}, sessions: c.sessions, watches: c.watches}
	conn, events, err := zk.Connect(cfg.Servers, cfg.SessionTimeout,
		zk.WithHostProvider(first.hosts),
		zk.WithDialer(first.dial),
		zk.WithEventCallback(c.watches.event),
		zk.WithLogger(logger(cfg.Logf)),
		zk.WithLogInfo(false))
	if err != nil {
		return nil, nil, err
	}
	c.zk, c.over = conn, events
	return c, first, nil
}

// open waits for the first session and proves who the client is.
func (c *Client) open(ctx context.Context, cfg Config, first *firstContact) error {
	err := c.sessions.ready.Wait(ctx, cfg.DialTimeout)
	if errors.Is(err, clock.ErrTimeout) {
		err = fmt.Errorf("%w: no session within %v", ErrDisconnected, cfg.DialTimeout)
	} else if err == nil && c.Session().ID == 0 {
		err = ErrDisconnected
	}
	if err != nil {
		return first.explain(err)
	}
	if cfg.Auth == "" {
		return nil
	}
	_, err = call(ctx, c, func() (none, error) { return none{}, c.zk.AddAuth("digest", []byte(cfg.Auth)) })
	return c.translate("authenticate", "digest", err)
}

// logger lets a function be the client's logger.
type logger func(format string, args ...any)

// Printf implements zk.Logger.
func (l logger) Printf(format string, args ...any) { l(format, args...) }
