package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/store/resource"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// verb is what a step does: run, or end the client in the given state.
type verb struct {
	run   func(*client, *script.Step) error
	end   trace.ActorState
	tries bool // asks for the lock, so it is not skipped after a refusal
	waits bool // and waits for it from its beginning on
	inner bool // gives back itself what it was granted
}

// verbs gives every verb of the language its meaning. A test compares it with
// the table of the language.
var verbs = map[string]verb{
	"acquire":       {run: (*client).acquire, tries: true, waits: true},
	"try":           {run: (*client).try, tries: true},
	"do":            {run: (*client).do, tries: true, waits: true, inner: true},
	"release":       {run: (*client).release},
	"close":         {run: (*client).closeSession},
	"latch":         {run: (*client).setLatch},
	"count-down":    {run: (*client).countDown},
	"await":         {run: (*client).await},
	"renew":         {run: (*client).renew},
	"work":          {run: (*client).work},
	"read":          {run: (*client).read},
	"write":         {run: (*client).write},
	"take":          {run: (*client).take},
	"change":        {run: (*client).change},
	"like":          {run: (*client).like},
	"lock-and-like": {run: (*client).lockAndLike, tries: true, inner: true},
	"press":         {run: (*client).press, tries: true, inner: true},
	"clean-up":      {run: (*client).cleanUp},
	"buy":           {run: (*client).buy},
	"move":          {run: (*client).move},
	"take-coupons":  {run: (*client).takeCoupons},
	"claim":         {run: (*client).claim},
	"fail":          {end: trace.StateDone},
	"exit":          {end: trace.StateExited},
	"crash":         {end: trace.StateCrashed},
}

var background = context.Background()

func (c *client) acquire(s *script.Step) error {
	ctx, cancel := c.limited(s)
	defer cancel()
	locker, err := c.lockerFor(s)
	if err != nil {
		return c.hold(c.x.key(s), mode(s), nil, err)
	}
	lease, err := locker.Acquire(ctx, c.x.key(s), c.lockOptions(s)...)
	return c.hold(c.x.key(s), mode(s), lease, err)
}

func (c *client) try(s *script.Step) error {
	locker, err := c.lockerFor(s)
	if err != nil {
		return c.hold(c.x.key(s), mode(s), nil, err)
	}
	lease, err := locker.TryAcquire(background, c.x.key(s), c.lockOptions(s)...)
	return c.hold(c.x.key(s), mode(s), lease, err)
}

func (c *client) limited(s *script.Step) (context.Context, context.CancelFunc) {
	if v, ok := option(s, "timeout"); ok {
		return c.clk.WithTimeout(background, c.x.duration(v))
	}
	return context.WithCancel(background)
}

func (c *client) lockOptions(s *script.Step) []lock.Option {
	var out []lock.Option
	if c.x.params["reentry"] == "on" {
		out = append(out, lock.WithOwner(c.name))
	}
	if v, ok := option(s, "ttl"); ok {
		out = append(out, lock.WithTTL(c.x.duration(v)))
	}
	if v, ok := option(s, "lease"); ok {
		out = append(out, lock.WithFixedLease(c.x.duration(v)))
	}
	return out
}

func option(s *script.Step, name string) (script.Value, bool) {
	for _, o := range s.Opts {
		if o.Name.Text == name {
			return o.Value, true
		}
	}
	return script.Value{}, false
}

// release gives back the latest grant of the lock. One that was given back
// before is given back again, as code does that has lost count.
func (c *client) release(s *script.Step) error {
	g := c.open(c.x.key(s), mode(s))
	if g == nil && len(c.grants) > 0 {
		g = c.grants[len(c.grants)-1]
	}
	if g == nil || g.lease == nil {
		return lock.ErrNotHeld
	}
	g.over = true
	return g.lease.Release(background)
}

func (c *client) renew(*script.Step) error {
	r, ok := c.lease().(lock.Renewer)
	if !ok {
		return errors.New("this lock cannot be renewed by hand")
	}
	return r.Renew(background)
}

func (c *client) work(s *script.Step) error {
	ctx := background
	if lease := c.lease(); flag(s, "until-lost") && lease != nil {
		held, stop := lock.WithLease(background, lease)
		defer stop()
		ctx = held
	}
	return c.workUntil(ctx, s)
}

// workUntil works as long as s says or until ctx ends, and then says why it
// ended.
func (c *client) workUntil(ctx context.Context, s *script.Step) error {
	switch {
	case c.clk.Sleep(ctx, c.x.duration(s.Args[0])) != nil:
		return context.Cause(ctx)
	case flag(s, "fail"):
		return errWorkFailed
	}
	return nil
}

var errWorkFailed = errors.New("the work failed")

// do is lock.Do with some work inside. The release happens in Do.
func (c *client) do(s *script.Step) error {
	c.attempt()
	return lock.Do(background, holding{c}, c.x.key(s), func(ctx context.Context) error {
		doing := fmt.Sprintf("work %v", c.x.duration(s.Args[0]))
		c.event(trace.KindCall, doing, &doing, "")
		err := c.workUntil(ctx, s)
		c.finish(result("work", err), err, "")
		return err
	})
}

// holding is the client's locker with an eye on what it asks for and is granted,
// for lock.Do, which keeps the lease to itself.
type holding struct{ *client }

func (h holding) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	h.x.rec.Ask(h.name, key)
	lease, err := h.locker.Acquire(ctx, key, opts...)
	return lease, h.hold(key, "", lease, err)
}

func (h holding) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := h.locker.TryAcquire(ctx, key, opts...)
	return lease, h.hold(key, "", lease, err)
}

func (c *client) read(s *script.Step) error {
	name := s.Args[0].Text
	v, err := c.links[name].Read(background)
	c.reads[name] = v
	return err
}

func (c *client) write(s *script.Step) error {
	o := s.Opts[0]
	w, err := c.writer()
	if err != nil {
		return err
	}
	return c.links[o.Name.Text].Write(background, c.x.integer(o.Value), w)
}

func (c *client) take(s *script.Step) error {
	name := s.Args[0].Text
	if c.reads[name] <= 0 {
		return errSoldOut
	}
	w, err := c.writer()
	if err != nil {
		return err
	}
	_, err = c.links[name].Add(background, -1, w)
	return err
}

// writer is the lease that requests are made under. A client uses its token
// even after the lease has ended: it may not know yet. Where the lease has none
// until it is asked for, that is done now.
func (c *client) writer() (resource.Writer, error) {
	lease := c.lease()
	if lease == nil {
		return nil, nil //nolint:nilnil // a write without a lease is a write, too
	}
	if late, ok := lease.(interface{ ReadToken(context.Context) error }); ok {
		return lease, late.ReadToken(background)
	}
	return lease, nil
}

func flag(s *script.Step, name string) bool {
	return slices.ContainsFunc(s.Flags, func(f script.Word) bool { return f.Text == name })
}

// describe is the step in one line, with parameters replaced by their values.
func (p *plan) describe(s *script.Step) string {
	t := script.Step{Verb: s.Verb, Flags: s.Flags}
	for _, a := range s.Args {
		t.Args = append(t.Args, script.Value{Text: p.text(a)})
	}
	for _, o := range s.Opts {
		t.Opts = append(t.Opts, script.Setting{Name: o.Name, Value: script.Value{Text: p.text(o.Value)}})
	}
	return t.String()
}

// report is how a step ended, in one line.
func (c *client) report(s *script.Step, err error) string {
	if err != nil || !verbs[s.Verb.Text].tries || verbs[s.Verb.Text].inner {
		return result(s.Verb.Text, err)
	}
	lease := c.lease()
	text := s.Verb.Text + ": granted as " + lease.Owner()
	if token, ok := lease.Token(); ok && token != 0 {
		text += fmt.Sprintf(", token %d", token)
	}
	if d := lease.Deadline(); !d.IsZero() {
		text += ", until " + trace.Instant(int64(c.proc.Virtual(d)))
	}
	return text
}

func result(verb string, err error) string { return verb + ": " + outcome(err) }
