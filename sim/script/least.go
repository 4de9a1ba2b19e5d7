package script

import (
	"fmt"
	"time"
)

// least are the shortest durations that mean anything, by the parameter, option
// or directive that takes them: what is shorter is refused where it is written,
// and not by the lock when it is asked for, or silently taken for a default.
var least = map[string]time.Duration{
	// The locks of impl refuse shorter leases: a third of one, the time between
	// two renewals, has to leave room for a request.
	"ttl":   10 * time.Millisecond,
	"lease": 10 * time.Millisecond,

	"timeout": time.Millisecond,
	"poll":    time.Millisecond,
	"bound":   time.Millisecond,
	"until":   time.Millisecond,
}

// checkLeast says whether s is a duration shorter than least.
func checkLeast(s string, least time.Duration) error {
	if d, err := parseDuration(s); err != nil || d >= least {
		return err
	}
	return fmt.Errorf("duration %q is too short: at least %v", s, least)
}

// longEnough checks a duration that has just been read, where the named option
// or directive needs one. That of a parameter is checked where it is set.
func (c *cursor) longEnough(place string, v Value) {
	if c.failed {
		return
	}
	if _, ok := isRef(v.Text); ok {
		c.p.refs[len(c.p.refs)-1].least = least[place]
		return
	}
	if err := checkLeast(v.Text, least[place]); err != nil {
		c.fail(v.Pos, "%s: %v", place, err)
	}
}

// limits finds out how short the values of parameters can be, because of the
// places that refer to them.
func (p *parser) limits() {
	p.scn.least = map[string]time.Duration{}
	for _, r := range p.refs {
		p.scn.least[r.name] = max(p.scn.least[r.name], r.least)
	}
}
