package lock

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Address is a URL of [Open], taken apart. Unlike a URL of net/url it may have
// several hosts.
type Address struct {
	// Scheme is in lower case.
	Scheme string
	// User is nil where the URL has none.
	User *url.Userinfo
	// Hosts are those between "//" and the path, with or without a port.
	Hosts []string
	// Path is the path, with its leading slash.
	Path string
	// Name is what follows a scheme without "//", as in embedded:NAME.
	Name string
	// Params are the parameters behind the question mark.
	Params *Params
}

// ParseAddress takes a URL apart. The error is [ErrInvalid] and keeps what may
// be a password to itself.
func ParseAddress(rawURL string) (Address, error) {
	scheme, rest, ok := strings.Cut(rawURL, ":")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/?#@ ") {
		return Address{}, fmt.Errorf("%w: the URL has no scheme, such as redis://localhost:6379", ErrInvalid)
	}
	a := Address{Scheme: strings.ToLower(scheme)}
	rest, hosts, found := cutHosts(rest)
	u, err := url.Parse(a.Scheme + ":" + rest)
	if err != nil {
		return Address{}, fmt.Errorf("%w: the URL cannot be read: %w", ErrInvalid, withoutURL(err))
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" {
		return Address{}, fmt.Errorf("%w: the URL does not end in parameters such as ?ttl=10s&fencing=true", ErrInvalid)
	}
	a.User, a.Path, a.Name, a.Params = u.User, u.Path, u.Opaque, newParams(values)
	if found && hosts != "" {
		a.Hosts = strings.Split(hosts, ",")
	}
	for _, h := range a.Hosts {
		if !validHost(h) {
			return Address{}, fmt.Errorf("%w: %q is not host or host:port", ErrInvalid, h)
		}
	}
	return a, nil
}

// cutHosts takes the hosts out of what follows the scheme, since net/url has
// room for one only, and leaves a placeholder.
func cutHosts(rest string) (without, hosts string, found bool) {
	authority, found := strings.CutPrefix(rest, "//")
	if !found {
		return rest, "", false
	}
	end := len(authority)
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		end = i
	}
	start := strings.LastIndex(authority[:end], "@") + 1
	return "//" + authority[:start] + "hosts" + authority[end:], authority[start:end], true
}

// withoutURL drops the text of the URL from an error of net/url.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return errors.New("its form is scheme://user:password@host:port/path?parameters, with % escapes where needed")
	}
	return err
}

func validHost(s string) bool {
	if !strings.Contains(s, ":") {
		return s != "" && !strings.ContainsAny(s, " []")
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil || host == "" {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// Driver is the name under which the driver is registered.
func (a Address) Driver() string {
	if a.Scheme == "embedded" {
		return "embedded:" + a.Name
	}
	return a.Scheme
}

// HostPorts are the hosts, with a port added where there is none. There is at
// least one, or the error is [ErrInvalid].
func (a Address) HostPorts(port string) ([]string, error) {
	if len(a.Hosts) == 0 {
		return nil, fmt.Errorf("%w: the URL names no host", ErrInvalid)
	}
	all := make([]string, len(a.Hosts))
	for i, h := range a.Hosts {
		all[i] = h
		if !strings.Contains(h, ":") {
			all[i] = net.JoinHostPort(h, port)
		}
	}
	return all, nil
}

// HostPort is the only host. The error is [ErrInvalid].
func (a Address) HostPort(port string) (string, error) {
	all, err := a.HostPorts(port)
	if err != nil {
		return "", err
	}
	if len(all) > 1 {
		return "", fmt.Errorf("%w: the URL names %d hosts, %s takes one", ErrInvalid, len(all), a.Scheme)
	}
	return all[0], nil
}

// String is the URL without user, password and parameters.
func (a Address) String() string {
	if a.Name != "" {
		return a.Scheme + ":" + a.Name
	}
	return a.Scheme + "://" + strings.Join(a.Hosts, ",") + a.Path
}
