package zkstore

import (
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// Prepare makes the nodes at the given paths, below which the queues of locks
// stand, as earlier use has, and lets their sequence numbers begin where they are
// told to. It takes no time and is no part of the timeline.
func (s *Store) Prepare(queues []string, sequence int32) error {
	link := &attachment{client: &Client{store: s}, node: s.nodes[0]}
	r, err := s.machine.Connect(state.ConnectRequest{}, link)
	if err != nil {
		return err
	}
	do := func(req state.Request) state.Code {
		var code state.Code
		s.machine.Do(r.Session, link, req, func(resp state.Response) { code = resp.Code })
		return code
	}
	do(state.Request{Op: state.OpCreate, Path: s.cfg.Base, ACL: state.WorldACL()})
	for _, p := range queues {
		if do(state.Request{Op: state.OpCreate, Path: p, ACL: state.WorldACL()}) == state.OK && sequence != 0 {
			if err := s.machine.SetCounter(p, sequence); err != nil {
				return err
			}
		}
	}
	do(state.Request{Op: state.OpCloseSession})
	s.pushes = nil
	return nil
}
