package runner

import (
	"context"
	"database/sql"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/likes"
	likesanti "github.com/lockstep-sim/lockstep/impl/likes/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// press is the like of every client: one person presses a button twice.
var press = likes.Like{Post: 1, Person: "ann", Request: "click-1"}

// likeView shows the likes as rows that are alike if they count the same twice.
const likeView = "SELECT 'likes#' || id, 'post ' || post || ' by ' || person || " +
	"CASE times WHEN 1 THEN '' ELSE ', ' || times || ' times' END, NULL FROM likes"

// liker is a store with a database that likes can be kept in.
type liker interface {
	likes(c *client) (*likes.Service, error)
}

// like presses the button.
func (c *client) like(*script.Step) error {
	l, ok := c.x.backend.(liker)
	if !ok {
		return errors.New("this store keeps no likes")
	}
	s, err := l.likes(c)
	if err != nil {
		return err
	}
	return s.Like(background, press)
}

// orders are the ways to put the lock and the transaction together, by the
// parameter order.
var orders = map[string]func(context.Context, *likes.Service, lock.Locker, string, likes.Like) error{
	"outside": func(ctx context.Context, s *likes.Service, l lock.Locker, key string, press likes.Like) error {
		return s.LikeLocked(ctx, l, key, press)
	},
	"inside":         likesanti.ReleaseInside,
	"declarative":    likesanti.Declarative,
	"early-snapshot": likesanti.EarlySnapshot,
}

// lockAndLike presses the button at a service that takes the lock itself.
func (c *client) lockAndLike(s *script.Step) error {
	l, ok := c.x.backend.(liker)
	if !ok {
		return errors.New("this store keeps no likes")
	}
	service, err := l.likes(c)
	if err != nil {
		return err
	}
	c.attempt()
	return orders[c.x.params["order"]](background, service, holding{c}, c.x.key(s), press)
}

// uses reports whether a client of the run has a step with this verb.
func (p *plan) uses(verb string) bool {
	for _, m := range p.members {
		for _, s := range m.Steps {
			if s.Verb.Text == verb {
				return true
			}
		}
	}
	return false
}

func (b *tableBackend) likes(c *client) (*likes.Service, error) {
	return b.service(b.db(c), c)
}

func (b *tableBackend) service(db *sql.DB, c *client) (*likes.Service, error) {
	rows, err := b.rows(db, c)
	if err != nil {
		return nil, err
	}
	return likes.New(rows, likes.Defence(b.x.params["defence"]))
}

// prepareLikes makes the tables of the likes, as the service does when it is
// installed.
func (b *tableBackend) prepareLikes() error {
	return b.beforehand(func(db *sql.DB) error {
		s, err := b.service(db, nil)
		if err == nil {
			err = s.CreateSchema(background)
		}
		if err == nil {
			err = s.Prepare(background, press.Post, press.Person)
		}
		return err
	})
}
