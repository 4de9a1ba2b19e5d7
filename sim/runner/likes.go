package runner

import (
	"database/sql"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/likes"
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

func (b *sqliteBackend) likes(c *client) (*likes.Service, error) {
	return b.service(b.db(c), c)
}

func (b *sqliteBackend) service(db *sql.DB, c *client) (*likes.Service, error) {
	rows, err := b.rows(db, c)
	if err != nil {
		return nil, err
	}
	return likes.New(rows, likes.Defence(b.x.params["defence"]))
}

// prepareLikes makes the tables of the likes, as the service does when it is
// installed.
func (b *sqliteBackend) prepareLikes() error {
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
