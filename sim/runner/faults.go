package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// scheduleFaults schedules the faults that strike at a time. A fault that its
// target cannot suffer is an error of the scenario.
func (x *execution) scheduleFaults() error {
	var errs script.Errors
	for i := range x.sc.Faults {
		f := &x.sc.Faults[i]
		if !x.applies(f.When) || f.Place != nil {
			continue
		}
		if why := x.schedule(f); why != "" {
			errs = append(errs, script.Error{File: x.sc.File, Pos: f.Pos, Msg: why})
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// schedule lets f happen at its time. It says why where that is not possible.
func (x *execution) schedule(f *script.Fault) string {
	if len(f.Sides[0]) > 0 {
		x.announcePartition(f)
		return ""
	}
	name := f.Target.Text
	if n := x.backend.node(name); n != nil {
		return x.scheduleNode(f, n)
	}
	return x.scheduleClient(f, name)
}

// at lets do happen at the time of f.
func (x *execution) at(f *script.Fault, do func()) { x.k.At(kernel.Time(x.optional(f.At)), do) }

func (x *execution) scheduleClient(f *script.Fault, name string) string {
	proc := x.client(f.Target).proc
	switch f.Kind.Text {
	case "crash":
		x.at(f, func() { x.net.CrashProcess(proc) })
	case "vanish":
		x.at(f, func() { x.net.LoseHost(proc) })
	case "pause":
		x.at(f, func() { x.net.PauseProcess(proc, x.optional(f.For)) })
	case "disconnect":
		x.at(f, func() { x.net.Disconnect(name) })
	case "expire":
		keepers := x.sessionKeepers()
		if len(keepers) == 0 {
			return fmt.Sprintf("%s cannot suffer the fault %q: variant %s has no store that keeps sessions",
				name, f.Kind.Text, x.variant.Name.Text)
		}
		x.at(f, func() { expire(keepers, name) })
	case "offset":
		proc.SetOffset(x.optional(f.By))
	case "drift":
		proc.SetDrift(x.rate(f))
	case "jump", "set-back":
		// A client only sees its wall clock jump: Go measures durations and
		// deadlines on the monotonic clock, which does not.
		x.at(f, func() {
			x.rec.Add(trace.Event{Actor: name, Kind: trace.KindFault, Text: "its clock jumps by " + trace.Instant(int64(x.by(f)))})
		})
	}
	return ""
}

// sessionKeepers are the nodes at which clients have sessions.
func (x *execution) sessionKeepers() []sessionKeeper {
	var out []sessionKeeper
	for _, name := range x.nodes {
		if s, ok := x.backend.node(name).(sessionKeeper); ok {
			out = append(out, s)
		}
	}
	return out
}

// expire ends the session of a client at the first node that has one.
func expire(keepers []sessionKeeper, client string) {
	for _, s := range keepers {
		if s.ExpireSession(client) {
			return
		}
	}
}

// by is how far a clock jumps; back is negative.
func (x *execution) by(f *script.Fault) time.Duration {
	if f.Kind.Text == "set-back" {
		return -x.optional(f.By)
	}
	return x.optional(f.By)
}

// rate is how many seconds a clock gains in one.
func (x *execution) rate(f *script.Fault) float64 {
	every := x.optional(f.Every)
	if every == 0 {
		return 0
	}
	return float64(x.optional(f.By)) / float64(every)
}

func (x *execution) scheduleNode(f *script.Fault, n node) string {
	var ok bool
	switch f.Kind.Text {
	case "offset":
		var c clocked
		if c, ok = n.(clocked); ok {
			c.SetOffset(x.optional(f.By))
		}
	case "jump", "set-back":
		var c clocked
		if c, ok = n.(clocked); ok {
			x.at(f, func() { c.Jump(x.by(f)) })
		}
	case "drift":
		var d drifting
		if d, ok = n.(drifting); ok {
			d.SetDrift(x.rate(f))
		}
	case "kill":
		var k killable
		if k, ok = n.(killable); ok {
			x.at(f, k.Kill)
		}
	case "vanish":
		var v vanishing
		if v, ok = n.(vanishing); ok {
			x.at(f, v.Vanish)
		}
	case "restart":
		var k killable
		if k, ok = n.(killable); ok {
			x.at(f, func() { x.restart(f, k) })
		}
	case "save":
		var s saver
		if s, ok = n.(saver); ok {
			x.at(f, s.Save)
		}
	}
	if !ok {
		return fmt.Sprintf("%s cannot suffer the fault %q", n.Name(), f.Kind.Text)
	}
	return ""
}

// restart starts a node again; one that cannot ends the run.
func (x *execution) restart(f *script.Fault, k killable) {
	if err := k.Restart(f.State); err != nil {
		x.k.Fail(script.Errors{{File: x.sc.File, Pos: f.Pos, Msg: err.Error()}})
	}
}

func (x *execution) announcePartition(f *script.Fault) {
	side := func(i int) string {
		var names []string
		for _, w := range f.Sides[i] {
			names = append(names, w.Text)
		}
		return strings.Join(names, ", ")
	}
	from, until := "is cut off from ", "reaches "
	if f.Kind.Text == "block" {
		from = "no longer reaches "
	}
	actor := f.Sides[0][0].Text
	if len(f.Sides[0]) > 1 {
		actor, from, until = "", side(0)+": cut off from ", side(0)+": reach "
	}
	x.k.At(kernel.Time(x.optional(f.From)), func() {
		x.rec.Add(trace.Event{Actor: actor, Kind: trace.KindFault, Text: from + side(1)})
	})
	x.k.At(kernel.Time(x.optional(f.Until)), func() {
		x.rec.Add(trace.Event{Actor: actor, Kind: trace.KindFault, Text: until + side(1) + " again"})
	})
}
