package check

import "time"

// grace tells when something bad has lasted for longer than a bound, and that
// once.
type grace struct {
	bound    time.Duration
	since    int64
	lasts    bool
	reported bool
}

// begin starts the time again: something else has gone bad.
func (g *grace) begin(now int64) { g.since, g.lasts, g.reported = now, true, false }

// keep begins if it is bad for the first time, and ends if it is not bad now.
func (g *grace) keep(bad bool, now int64) {
	switch {
	case !bad:
		g.lasts = false
	case !g.lasts:
		g.begin(now)
	}
}

// overdue is for how long it has lasted, in nanoseconds, when that is reported: at
// or after the bound, for the first time.
func (g *grace) overdue(now int64) (lasted int64, report bool) {
	if !g.lasts || g.reported || now-g.since < int64(g.bound) {
		return 0, false
	}
	g.reported = true
	return now - g.since, true
}
