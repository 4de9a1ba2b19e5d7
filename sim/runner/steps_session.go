package runner

import (
	"context"
	"errors"

	"github.com/lockstep-sim/lockstep/sim/script"
)

// sessionEnder is a lock whose client has a session that it can close.
type sessionEnder interface{ end(context.Context) error }

// closeSession ends the session of the client in order.
func (c *client) closeSession(*script.Step) error {
	s, ok := c.locker.(sessionEnder)
	if !ok {
		return errors.New("this lock has no session to close")
	}
	return s.end(background)
}
