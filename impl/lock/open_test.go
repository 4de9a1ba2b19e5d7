package lock_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestAnAddressIsTakenApart(t *testing.T) {
	for rawURL, want := range map[string]struct {
		scheme, driver, user, password, path, name, shown string
		hosts                                             []string
	}{
		"redis://localhost":          {scheme: "redis", driver: "redis", hosts: []string{"localhost"}, shown: "redis://localhost"},
		"REDIS://u:p%40@[::1]:7/3":   {scheme: "redis", driver: "redis", user: "u", password: "p@", path: "/3", hosts: []string{"[::1]:7"}, shown: "redis://[::1]:7/3"},
		"redlock://a:1,b,c:3?ttl=5s": {scheme: "redlock", driver: "redlock", hosts: []string{"a:1", "b", "c:3"}, shown: "redlock://a:1,b,c:3"},
		"sqlite:///var/locks.db":     {scheme: "sqlite", driver: "sqlite", path: "/var/locks.db", shown: "sqlite:///var/locks.db"},
		"sqlite:locks.db":            {scheme: "sqlite", driver: "sqlite", name: "locks.db", shown: "sqlite:locks.db"},
		"embedded:redis?ttl=1s":      {scheme: "embedded", driver: "embedded:redis", name: "redis", shown: "embedded:redis"},
		"consul://:t0ken@h":          {scheme: "consul", driver: "consul", password: "t0ken", hosts: []string{"h"}, shown: "consul://h"},
	} {
		t.Run(rawURL, func(t *testing.T) {
			a, err := lock.ParseAddress(rawURL)
			if err != nil {
				t.Fatal(err)
			}
			var user, password string
			if a.User != nil {
				user = a.User.Username()
				password, _ = a.User.Password()
			}
			if a.Scheme != want.scheme || a.Driver() != want.driver || user != want.user || password != want.password ||
				a.Path != want.path || a.Name != want.name || !slices.Equal(a.Hosts, want.hosts) {
				t.Errorf("got %+v (%q %q), want %+v", a, user, password, want)
			}
			if a.String() != want.shown {
				t.Errorf("String() = %q, want %q", a, want.shown)
			}
		})
	}
}

func TestAddressesThatCannotBeReadAreInvalidAndShowNoPassword(t *testing.T) {
	for _, rawURL := range []string{
		"", "redis", "://x", "/s3cret:x", "redis://u:s3cret@h:port", "redis://u:s3cret@h:99999", "redis://u:s3cret@h,,i",
		"redis://u:s3cret%zz@h", "redis://u:s3cret@h?a=%zz", "redis://u:s3cret@h#x", "redis://u:s3cret@:6379", "redis://u:s3cret@a b", "redis://h?a=1;b=2",
	} {
		if _, err := lock.ParseAddress(rawURL); !errors.Is(err, lock.ErrInvalid) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want ErrInvalid without the password", rawURL, err)
		}
	}
}

func TestHostPorts(t *testing.T) {
	a, err := lock.ParseAddress("zk://a,b:1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.HostPorts("2181"); err != nil || !slices.Equal(got, []string{"a:2181", "b:1"}) {
		t.Errorf("HostPorts = %v, %v", got, err)
	}
	if got, err := a.HostPort("2181"); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("HostPort of two = %q, %v; want ErrInvalid", got, err)
	}
	if a, err = lock.ParseAddress("zk://"); err != nil {
		t.Fatal(err)
	}
	if got, err := a.HostPorts("2181"); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("HostPorts of none = %q, %v; want ErrInvalid", got, err)
	}
}

// opened is a Client of no backend.
type opened struct{ lock.Locker }

// Close implements lock.Client.
func (opened) Close() error { return nil }

func TestOpenHandsTheAddressToTheDriver(t *testing.T) {
	var got lock.Address
	lock.Register("test", func(ctx context.Context, a lock.Address) (lock.Client, error) {
		got = a
		deadline, ok := ctx.Deadline()
		if left := time.Until(deadline); !ok || left > 7*time.Second || left < 6*time.Second {
			t.Errorf("deadline in %v, want the dial timeout of 7s", left)
		}
		return opened{newLocal()}, a.Params.Err()
	})
	c, err := lock.Open(t.Context(), "test://h/p?dial=7s")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil || got.Path != "/p" {
		t.Errorf("address %+v, Close = %v", got, err)
	}
	if _, err := lock.Open(t.Context(), "tset://h"); !errors.Is(err, lock.ErrInvalid) || !strings.Contains(err.Error(), `did you mean "test"?`) {
		t.Errorf("Open of a misspelt scheme = %v", err)
	}
	if _, err := lock.Open(t.Context(), "gopher://h"); !errors.Is(err, lock.ErrInvalid) || !strings.Contains(err.Error(), "registered are test") {
		t.Errorf("Open of an unknown scheme = %v", err)
	}
	if !mustPanic(func() {
		lock.Register("test", func(context.Context, lock.Address) (lock.Client, error) { return nil, nil })
	}) ||
		!mustPanic(func() { lock.Register("other", nil) }) {
		t.Error("a wrong Register did not panic")
	}
}

func mustPanic(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// The packages that the error names must exist.
func TestOpenNamesTheMissingImport(t *testing.T) {
	for _, rawURL := range []string{
		"redis://h", "rediss://h", "redlock://h", "zk://h", "etcd://h", "consul://h", "sqlite:x", "postgres://h", "mysql://h",
		"embedded:redis", "embedded:zk", "embedded:etcd", "embedded:consul", "embedded:sqlite",
	} {
		_, err := lock.Open(t.Context(), rawURL)
		_, home, found := strings.Cut(err.Error(), `add import _ "github.com/lockstep-sim/lockstep/impl/`)
		if !errors.Is(err, lock.ErrInvalid) || !found {
			t.Errorf("Open(%q) = %v, want ErrInvalid with the missing import", rawURL, err)
			continue
		}
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(strings.TrimSuffix(home, `"`)), "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("Open(%q) names impl/%s, which does not exist: %v", rawURL, home, err)
		}
	}
}

func TestParamsAreRead(t *testing.T) {
	a, err := lock.ParseAddress("x://h?ttl=300ms&on=true&name=a%26b")
	if err != nil {
		t.Fatal(err)
	}
	p := a.Params
	if ttl, other := p.Duration("ttl", 0), p.Duration("other", 5); ttl != 300*time.Millisecond || other != 5 {
		t.Errorf("durations %v and %v", ttl, other)
	}
	if on, off := p.Bool("on", false), p.Bool("off", true); !on || !off {
		t.Errorf("booleans %v and %v", on, off)
	}
	if err := p.Err(); !errors.Is(err, lock.ErrInvalid) || !strings.Contains(err.Error(), `"name"`) {
		t.Errorf("Err before name was asked for = %v", err)
	}
	if name, nick := p.String("name", ""), p.String("nick", "x"); name != "a&b" || nick != "x" {
		t.Errorf("texts %q and %q", name, nick)
	}
	if err := p.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
}
