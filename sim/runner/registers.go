package runner

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	fencinganti "github.com/lockstep-sim/lockstep/impl/fencing/antipattern"
	"github.com/lockstep-sim/lockstep/sim/store/resource"
)

// register is a client's way to a value that it works on under the lock. The
// writer is the lease under which it does, nil where it has none.
type register interface {
	Read(ctx context.Context) (int64, error)
	Write(ctx context.Context, value int64, w resource.Writer) error
	Add(ctx context.Context, delta int64, w resource.Writer) (int64, error)
}

// registerKeeper is a store that can keep the resources among its keys, as
// another value of the parameter resource asks for than those below.
type registerKeeper interface {
	register(c *client, name string) (register, error)
}

// registers are the resources that are services of their own, by the value of
// the parameter resource.
var registers = map[string]func(initial map[string]int64) resource.Registers{
	"plain":  func(initial map[string]int64) resource.Registers { return fencinganti.NewUnfenced(initial) },
	"fenced": func(initial map[string]int64) resource.Registers { return fencing.NewResource(initial) },
	"fenced-by-grant": func(initial map[string]int64) resource.Registers {
		return fencing.NewByGrant(initial)
	},
	"check-then-write": func(initial map[string]int64) resource.Registers {
		return fencinganti.NewCheckThenWrite(initial)
	},
}

// ownResources reports whether the resources are services of their own, as
// opposed to keys of the store.
func (p *plan) ownResources() bool {
	_, own := registers[p.params["resource"]]
	return own
}

func (x *execution) addResources() {
	if !x.ownResources() {
		return
	}
	for _, r := range x.sc.Resources {
		regs := registers[x.params["resource"]](map[string]int64{r.Name.Text: x.integer(r.Initial)})
		res := resource.New(r.Name.Text, regs, x.net, x.rec)
		x.resources[r.Name.Text] = res
		x.rec.Add(res.State())
	}
}

// connect gives the client its ways to the resources.
func (c *client) connect() error {
	for _, r := range c.x.sc.Resources {
		name := r.Name.Text
		if c.x.ownResources() {
			c.links[name] = c.x.resources[name].Client(c.proc)
			continue
		}
		keeper, ok := c.x.backend.(registerKeeper)
		if !ok {
			return fmt.Errorf("resource=%s: the store %s keeps no resources", c.x.params["resource"], c.x.store)
		}
		var err error
		if c.links[name], err = keeper.register(c, name); err != nil {
			return err
		}
	}
	return nil
}
