package runner

import (
	"errors"

	"github.com/lockstep-sim/lockstep/sim/script"
)

// change adds to a resource.
func (c *client) change(s *script.Step) error {
	o := s.Opts[0]
	w, err := c.writer()
	if err != nil {
		return err
	}
	_, err = c.links[o.Name.Text].Add(background, c.x.integer(o.Value), w)
	return err
}

// cleanUp runs the job that deletes old rows of locks.
func (c *client) cleanUp(s *script.Step) error {
	job, ok := c.locker.(cleaner)
	if !ok {
		return errors.New("this kind of lock has nothing to clean up")
	}
	_, err := job.CleanUp(background, c.x.duration(s.Args[0]))
	return err
}
