// Package resource is the protected resource as an actor of its own: a service
// behind the simulated network whose registers clients read and write.
//
// What belongs here: requests, answers and the record of both. What does not:
// the decision whether a write is accepted, which is that of impl/fencing.
package resource

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Registers is what the actor guards: integers by name. The token is that of the
// writer's lease, or 0.
type Registers interface {
	Read(name string) int64
	Write(name string, value int64, token lock.Token) error
	Add(name string, delta int64, token lock.Token) (int64, error)
}

// TwoSteps are registers that are written in two requests: Check refuses an old
// token, and Put writes without another look.
type TwoSteps interface {
	Check(name string, token lock.Token) error
	Put(name string, value int64)
}

// ByGrant are registers that want to know whose grant a write is made under.
type ByGrant interface {
	WriteAs(owner, name string, value int64, token lock.Token) error
	AddAs(owner, name string, delta int64, token lock.Token) (int64, error)
}

// Resource is one register as an actor.
type Resource struct {
	name string
	regs Registers
	net  *network.Network
	rec  *record.Recorder
}

// New makes the actor for the register called name.
func New(name string, regs Registers, net *network.Network, rec *record.Recorder) *Resource {
	return &Resource{name: name, regs: regs, net: net, rec: rec}
}

// Client is a connection of one process to the resource.
type Client struct {
	r     *Resource
	link  *network.Link
	clock clock.Clock
}

// Client connects proc.
func (r *Resource) Client(proc *kernel.Process) *Client {
	return &Client{r: r, link: r.net.Dial(proc, r.name), clock: proc.Clock()}
}

// Writer is the lease under which a request is made; nil where there is none.
type Writer interface {
	Owner() string
	Token() (lock.Token, bool)
}

// Read asks for the value.
func (c *Client) Read(ctx context.Context) (int64, error) {
	return c.call(ctx, "READ", "READ "+c.r.name, func(*trace.Event) (int64, error) {
		return c.r.regs.Read(c.r.name), nil
	})
}

// Write sets the value. The error is fencing.ErrStale when the resource knows a
// larger token than the writer's.
func (c *Client) Write(ctx context.Context, value int64, w Writer) error {
	if regs, ok := c.r.regs.(TwoSteps); ok {
		return c.checkAndPut(ctx, regs, value, w)
	}
	text := fmt.Sprintf("WRITE %s = %d%s", c.r.name, value, shown(w))
	_, err := c.call(ctx, "WRITE", text, func(e *trace.Event) (int64, error) {
		err := c.r.write(value, w)
		c.note(e, w, err)
		return value, err
	})
	return err
}

// checkAndPut is Write in two requests.
func (c *Client) checkAndPut(ctx context.Context, regs TwoSteps, value int64, w Writer) error {
	_, err := c.call(ctx, "CHECK", "CHECK "+c.r.name+shown(w), func(e *trace.Event) (int64, error) {
		e.Reply = "fine"
		return 0, regs.Check(c.r.name, token(w))
	})
	if err != nil {
		return err
	}
	_, err = c.call(ctx, "WRITE", fmt.Sprintf("WRITE %s = %d", c.r.name, value), func(e *trace.Event) (int64, error) {
		regs.Put(c.r.name, value)
		c.note(e, w, nil)
		return value, nil
	})
	return err
}

// Add changes the value by delta in one step and returns the result.
func (c *Client) Add(ctx context.Context, delta int64, w Writer) (int64, error) {
	text := fmt.Sprintf("ADD %s %+d%s", c.r.name, delta, shown(w))
	return c.call(ctx, "ADD", text, func(e *trace.Event) (int64, error) {
		v, err := c.r.add(delta, w)
		c.note(e, w, err)
		return v, err
	})
}

func (r *Resource) write(value int64, w Writer) error {
	if regs, ok := r.regs.(ByGrant); ok && w != nil {
		return regs.WriteAs(w.Owner(), r.name, value, token(w))
	}
	return r.regs.Write(r.name, value, token(w))
}

func (r *Resource) add(delta int64, w Writer) (int64, error) {
	if regs, ok := r.regs.(ByGrant); ok && w != nil {
		return regs.AddAs(w.Owner(), r.name, delta, token(w))
	}
	return r.regs.Add(r.name, delta, token(w))
}

// note records an attempt to change the register.
func (c *Client) note(e *trace.Event, w Writer, err error) {
	value := strconv.FormatInt(c.r.regs.Read(c.r.name), 10)
	e.Write = &trace.Write{Name: c.r.name, Value: value, Token: uint64(token(w)), Accepted: err == nil}
	if w != nil {
		e.Write.Grant = w.Owner()
	}
	if err == nil {
		e.Changes = append(e.Changes, c.r.state())
	}
}

// call sends a request and waits for the answer. execute can put the answer in
// words, where it is not the number.
func (c *Client) call(
	ctx context.Context, command, text string, execute func(*trace.Event) (int64, error),
) (value int64, err error) {
	answered := c.clock.NewEvent()
	req := &network.Request{Command: command, Text: text}
	c.link.Send(req, func() {
		e := trace.Event{Actor: c.r.name, Kind: trace.KindExec, Text: text, Peer: c.link.Client().Name(), Msg: req.ID}
		var result int64
		var failure error
		result, failure = execute(&e)
		if failure != nil || e.Reply == "" {
			e.Reply = answer(result, failure)
		}
		c.r.rec.Add(e)
		c.link.Answer(req, e.Reply, func() {
			value, err = result, failure
			answered.Set()
		})
	})
	if werr := answered.Wait(ctx, clock.NoLimit); werr != nil {
		return 0, werr
	}
	return value, err
}

func answer(value int64, err error) string {
	switch {
	case errors.Is(err, fencing.ErrStale):
		return "rejected: stale token"
	case err != nil:
		return "error: " + err.Error()
	}
	return strconv.FormatInt(value, 10)
}

// State is the event that shows the register before anything has happened.
func (r *Resource) State() trace.Event {
	return trace.Event{
		Actor: r.name, Kind: trace.KindNote,
		Text: fmt.Sprintf("%s is %d", r.name, r.regs.Read(r.name)), Changes: []trace.KeyChange{r.state()},
	}
}

func (r *Resource) state() trace.KeyChange {
	return trace.KeyChange{Store: r.name, Key: r.name, Value: strconv.FormatInt(r.regs.Read(r.name), 10)}
}

func token(w Writer) lock.Token {
	if w == nil {
		return 0
	}
	t, _ := w.Token()
	return t
}

func shown(w Writer) string {
	if t := token(w); t != 0 {
		return fmt.Sprintf(" token %d", t)
	}
	return ""
}
