package runner

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/sim/check"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/store/resource"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// execution is the world of one run.
type execution struct {
	*plan
	k         *kernel.Kernel
	rec       *record.Recorder
	net       *network.Network
	owners    *owners
	backend   backend
	clients   []*client
	resources map[string]*resource.Resource
	stopped   bool // by the scenario's own end
}

func newExecution(p *plan, opts Options) (*execution, error) {
	x := &execution{
		plan: p, k: kernel.New(opts.Seed, opts.Limits),
		owners: newOwners(p.clientNames()), resources: map[string]*resource.Resource{},
	}
	x.rec = record.New(x.k, x.header(opts.Seed), x.invariants())
	x.net = network.New(x.k, x.rec, p.param("latency"), &p.faults)
	if err := x.build(); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

func (x *execution) build() error {
	if err := x.addStore(); err != nil {
		return err
	}
	x.addResources()
	if err := x.addClients(); err != nil {
		return err
	}
	if err := x.scheduleFaults(); err != nil {
		return err
	}
	for _, m := range x.sc.Marks {
		if x.applies(m.When) && m.At != nil {
			x.rec.Mark(m.Name.Text, kernel.Time(x.duration(*m.At)))
		}
	}
	if x.sc.Until != nil {
		x.k.At(kernel.Time(x.duration(*x.sc.Until)), func() {
			x.stopped = true
			x.k.Stop()
		})
	}
	return nil
}

// header names the lanes: clients up to the middle, stores, the other clients,
// resources. Arrows then cross few lanes.
func (x *execution) header(seed uint64) trace.Header {
	h := trace.Header{Scenario: x.sc.ID, Variant: x.variant.Name.Text, Seed: seed, Lock: x.sc.Lock()}
	names := x.clientNames()
	half := (len(names) + 1) / 2
	h.Actors = addActors(h.Actors, trace.RoleClient, names[:half]...)
	h.Actors = addActors(h.Actors, trace.RoleStore, x.nodes...)
	h.Actors = addActors(h.Actors, trace.RoleClient, names[half:]...)
	for _, r := range x.sc.Resources {
		if x.ownResources() {
			h.Actors = addActors(h.Actors, trace.RoleResource, r.Name.Text)
		}
	}
	return h
}

func addActors(list []trace.Actor, role trace.Role, names ...string) []trace.Actor {
	for _, n := range names {
		list = append(list, trace.Actor{Name: n, Role: role})
	}
	return list
}

func (p *plan) clientNames() []string {
	var names []string
	for _, m := range p.members {
		names = append(names, m.Name)
	}
	return names
}

func (x *execution) invariants() []check.Invariant {
	setup := check.Setup{Lock: x.sc.Lock(), Bound: x.param("bound"), Permits: int(x.number("permits")), Min: map[string]int{}}
	for _, l := range x.sc.Locks[1:] {
		setup.More = append(setup.More, l.Text)
	}
	for _, r := range x.sc.Resources {
		if r.Min != nil {
			setup.Min[r.Name.Text] = int(x.integer(*r.Min))
		}
	}
	wanted := map[string]bool{}
	for _, c := range x.sc.Checks {
		wanted[c.Text] = true
	}
	var out []check.Invariant
	for _, info := range check.All() {
		if wanted[info.Name] || len(wanted) == 0 && info.Default {
			out = append(out, info.New(setup))
		}
	}
	return out
}

func (x *execution) addStore() error {
	if x.store == "" {
		x.backend = noStore{}
		return nil
	}
	b, err := builders[x.store].build(x)
	if err != nil {
		return err
	}
	x.backend = b
	return nil
}

func (x *execution) addClients() error {
	for _, m := range x.members {
		c, err := x.newClient(m)
		if err != nil {
			return fmt.Errorf("client %s: %w", m.Name, err)
		}
		x.clients = append(x.clients, c)
	}
	for _, c := range x.clients {
		c.proc.Go("main", c.run)
	}
	return nil
}

func (x *execution) client(name script.Word) *client {
	for _, c := range x.clients {
		if c.name == name.Text {
			return c
		}
	}
	panic("unchecked client " + name.Text)
}

func (x *execution) run(ctx context.Context) (*trace.Trace, error) {
	x.k.AfterStep(x.stopAtRest)
	if err := x.k.Run(ctx); err != nil {
		return nil, err
	}
	for _, m := range x.sc.Marks {
		if x.applies(m.When) && m.At == nil {
			x.rec.Mark(m.Name.Text, x.k.Now())
		}
	}
	return x.rec.Finish(!x.stopped), nil
}

// stopAtRest ends the run once every client has ended, no message is under way
// and the lock is free. What goes on for ever in the background, such as a
// forgotten watchdog, keeps the lock taken and so the run going.
func (x *execution) stopAtRest() {
	for _, c := range x.clients {
		if !c.ended && !c.proc.Dead() {
			return
		}
	}
	w := x.rec.World()
	if len(w.InFlight) > 0 {
		return
	}
	for _, t := range w.Truth {
		if t.Owner != "" {
			return
		}
	}
	x.k.Stop()
}

func (x *execution) close() {
	x.k.Close()
	if x.backend != nil {
		x.backend.close()
	}
}
