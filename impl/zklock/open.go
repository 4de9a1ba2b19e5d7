package zklock

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Scheme is the scheme of the URLs that [Open] takes.
const Scheme = "zk"

// Owned is a [Mutex] together with its client.
type Owned struct {
	*Mutex
	client *zkconn.Client
}

// Open connects to ZooKeeper and makes a mutex there. The URL names the servers
// of one ensemble, and where wanted a user, the base path and the session
// timeout:
//
//	zk://[user:password@]host[:port][,host[:port]...][/base][?timeout=10s]
//
// A URL of another form is lock.ErrInvalid. The caller must Close the result,
// which closes the client too.
func Open(ctx context.Context, rawURL string) (*Owned, error) {
	dial, cfg, err := parseURL(rawURL)
	if err == nil {
		_, err = engine.Config(cfg).WithDefaults()
	}
	if err != nil {
		return nil, fmt.Errorf("zklock: open: %w", err)
	}
	client, err := zkconn.Dial(ctx, dial)
	if err != nil {
		return nil, fmt.Errorf("zklock: open: %w", err)
	}
	m, err := New(client, cfg)
	if err != nil {
		client.Close()
		return nil, err
	}
	return &Owned{Mutex: m, client: client}, nil
}

// Close closes the mutex and then its client.
func (o *Owned) Close() error {
	err := o.Mutex.Close()
	o.client.Close()
	return err
}

// parseURL keeps the URL out of its errors, since it may have a password.
func parseURL(rawURL string) (zkconn.Config, Config, error) {
	servers, u, err := splitServers(rawURL)
	if err != nil {
		return zkconn.Config{}, Config{}, err
	}
	dial := zkconn.Config{Servers: servers}
	if u.User != nil {
		password, _ := u.User.Password()
		dial.Auth = u.User.Username() + ":" + password
	}
	dial.SessionTimeout, err = timeoutOf(u.Query())
	return dial, Config{Base: strings.TrimSuffix(u.Path, "/")}, err
}

// splitServers takes the list of servers out of a URL, which has room for one
// host, and parses the rest.
func splitServers(rawURL string) ([]string, *url.URL, error) {
	scheme, rest, ok := strings.Cut(rawURL, "://")
	if !ok || scheme != Scheme {
		return nil, nil, fmt.Errorf("%w: the URL does not begin with %s://", lock.ErrInvalid, Scheme)
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	start := strings.LastIndex(rest[:end], "@") + 1
	servers := strings.Split(rest[start:end], ",")
	for _, s := range servers {
		if !validServer(s) {
			return nil, nil, fmt.Errorf("%w: server %q of the URL is not host:port", lock.ErrInvalid, s)
		}
	}
	u, err := url.Parse(Scheme + "://" + rest[:start] + "servers" + rest[end:])
	if err != nil || u.Fragment != "" {
		return nil, nil, fmt.Errorf("%w: the URL has not the form zk://host:port/base?timeout=10s", lock.ErrInvalid)
	}
	return servers, u, nil
}

// validServer takes a host with or without a port.
func validServer(s string) bool {
	if !strings.Contains(s, ":") {
		return s != ""
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil || host == "" {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

func timeoutOf(q url.Values) (time.Duration, error) {
	for name := range q {
		if name != "timeout" {
			return 0, fmt.Errorf("%w: unknown parameter %q; the only one is timeout", lock.ErrInvalid, name)
		}
	}
	if !q.Has("timeout") {
		return 0, nil
	}
	d, err := time.ParseDuration(q.Get("timeout"))
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%w: timeout %q is not a positive duration such as 10s", lock.ErrInvalid, q.Get("timeout"))
	}
	return d, nil
}
