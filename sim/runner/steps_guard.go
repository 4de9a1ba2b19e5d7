package runner

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	lockanti "github.com/lockstep-sim/lockstep/impl/lock/antipattern"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// postLike is what a press likes, with the fields that key templates name.
type postLike struct{ Post, User string }

// templates are the key templates by the parameter key-per.
var templates = map[string]string{
	"post": "post:like:{post}",
	"user": "post:like:{post}:{user}",
}

// press likes a post in a function that takes the lock by its argument.
func (c *client) press(s *script.Step) error {
	like := postLike{Post: c.x.text(s.Args[0]), User: c.name}
	if by, ok := option(s, "by"); ok {
		like.User = c.x.text(by)
	}
	insert := func(ctx context.Context, _ postLike) (struct{}, error) {
		doing := fmt.Sprintf("work %v", c.x.duration(s.Args[1]))
		c.event(trace.KindCall, doing, &doing, "")
		err := c.clk.Sleep(ctx, c.x.duration(s.Args[1]))
		c.finish(result("work", err), err, "")
		return struct{}{}, err
	}
	c.attempt()
	template, ok := templates[c.x.params["key-per"]]
	if !ok {
		return c.joined(like, insert)
	}
	guarded, err := lock.Guard(holding{c}, template, insert)
	if err != nil {
		return err
	}
	_, err = guarded(background, like)
	return err
}

// joined guards fn with a key whose parts are not escaped.
func (c *client) joined(like postLike, fn func(context.Context, postLike) (struct{}, error)) error {
	key := lockanti.JoinKey("post:like", like.Post, like.User)
	return lock.Do(background, holding{c}, key, func(ctx context.Context) error {
		_, err := fn(ctx, like)
		return err
	})
}
