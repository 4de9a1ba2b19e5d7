package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// grant is one attempt of a client to get a lock that it has not given up yet.
// Grants of one lock can be nested: the client has entered again.
type grant struct {
	key   string
	lease lock.Lease // nil where it was refused
	mode  string     // read or write; empty for locks that have no modes
	over  bool       // given back or, where it was refused, the release skipped
}

// refused reports whether the last attempt of the client was.
func (c *client) refused() bool {
	n := len(c.grants)
	return n > 0 && c.grants[n-1].lease == nil
}

// lease is the one that the client acts under: the last it was granted, which
// it uses even after its end, because it may not know yet. It is nil where the
// last attempt was refused.
func (c *client) lease() lock.Lease {
	if len(c.grants) == 0 {
		return nil
	}
	open := slices.Clone(c.grants)
	open = slices.DeleteFunc(open, func(g *grant) bool { return g.over && g.lease != nil })
	if len(open) > 0 {
		return open[len(open)-1].lease
	}
	return c.grants[len(c.grants)-1].lease
}

// attempt forgets the refusals before a new attempt, and what is over.
func (c *client) attempt() {
	for c.refused() {
		c.grants = c.grants[:len(c.grants)-1]
	}
	c.grants = slices.DeleteFunc(c.grants, func(g *grant) bool { return g.over })
}

// hold takes down how an attempt ended.
func (c *client) hold(key, mode string, lease lock.Lease, err error) error {
	c.x.rec.Ask(c.name, "")
	c.attempt()
	if err != nil {
		c.grants = append(c.grants, &grant{key: key, mode: mode})
		return err
	}
	c.grants = append(c.grants, &grant{key: key, mode: mode, lease: lease})
	c.x.rec.Hold(c.proc, lease, mode == modeRead || c.x.number("permits") > 1)
	return nil
}

// open is the latest grant of a lock, in a mode if one is asked for, that has not
// been given back.
func (c *client) open(key, mode string) *grant {
	for _, g := range slices.Backward(c.grants) {
		if g.key == key && !g.over && (mode == "" || g.mode == mode) {
			return g
		}
	}
	return nil
}

// skips reports whether a step is left out because the lock was not granted: all
// are, apart from new attempts and the release of what was granted before.
func (c *client) skips(s *script.Step, v verb) bool {
	if v.tries || !c.refused() {
		return false
	}
	if s.Verb.Text != "release" {
		return true
	}
	g := c.open(c.x.key(s), mode(s))
	if g == nil {
		return true
	}
	if g.lease == nil {
		g.over = true
		return true
	}
	return false
}

// The modes of a read-write lock.
const (
	modeRead  = "read"
	modeWrite = "write"
)

// mode is the one that a step names, or empty.
func mode(s *script.Step) string {
	for _, m := range []string{modeRead, modeWrite} {
		if flag(s, m) {
			return m
		}
	}
	return ""
}

// readWriter is a lock that has modes.
type readWriter interface {
	Reader() lock.Locker
	Writer() lock.Locker
}

// lockerFor is the lock of the client in the mode that a step asks for.
func (c *client) lockerFor(s *script.Step) (lock.Locker, error) {
	m := mode(s)
	if m == "" {
		return c.locker, nil
	}
	rw, ok := c.locker.(readWriter)
	switch {
	case !ok:
		return nil, fmt.Errorf("this lock cannot be acquired for %sing", strings.TrimSuffix(m, "e"))
	case m == modeRead:
		return rw.Reader(), nil
	}
	return rw.Writer(), nil
}

// key is the lock that a step is about.
func (p *plan) key(s *script.Step) string {
	if v, ok := option(s, "on"); ok {
		return p.text(v)
	}
	return p.sc.Lock()
}
