package runner

import (
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// setFaults turns the faults of messages, and those at places, into rules of
// the network. Faults at a time are scheduled by the execution.
func (p *plan) setFaults() {
	for i := range p.sc.Faults {
		f := &p.sc.Faults[i]
		switch {
		case !p.applies(f.When):
		case f.Kind.Text == "partition" || f.Kind.Text == "block":
			p.faults.Partitions = append(p.faults.Partitions, p.partition(f))
		case f.Place != nil:
			r := p.rule(f)
			p.faults.Rules = append(p.faults.Rules, r)
			p.placed = append(p.placed, placed{r, f})
		}
	}
}

func (p *plan) partition(f *script.Fault) network.Partition {
	out := network.Partition{From: p.optional(f.From), Until: p.optional(f.Until), OneWay: f.Kind.Text == "block"}
	for _, w := range f.Sides[0] {
		out.A = append(out.A, w.Text)
	}
	for _, w := range f.Sides[1] {
		out.B = append(out.B, w.Text)
	}
	return out
}

func (p *plan) rule(f *script.Fault) *network.Rule {
	return &network.Rule{
		Actor: f.Target.Text, Command: f.Place.Command.Text, Nth: f.Place.Nth,
		Point: point(f), Do: p.action(f),
	}
}

// point is where in an exchange the fault strikes.
func point(f *script.Fault) network.Point {
	switch {
	case f.Dir == "reply":
		return network.OnReply
	case f.Dir == "request" || f.Kind.Text == "duplicate":
		return network.OnRequest
	case f.Place.Before:
		return network.BeforeSend
	}
	return network.AfterReceive
}

func (p *plan) action(f *script.Fault) network.Action {
	switch f.Kind.Text {
	case "crash":
		return network.Crash{}
	case "pause":
		return network.Pause{For: p.optional(f.For)}
	case "drop":
		return network.Drop{}
	case "delay":
		return network.Delay{By: p.optional(f.By)}
	case "hold":
		return network.Hold{Until: p.optional(f.Until)}
	case "break":
		return network.Break{}
	case "duplicate":
		return network.Duplicate{}
	}
	panic("unchecked fault " + f.Kind.Text)
}
