package runner

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// unreached is an error for every fault whose place the run did not come to: a
// fault that silently does nothing would teach the opposite of what it is for.
func (x *execution) unreached() error {
	var errs script.Errors
	for _, p := range x.placed {
		if !p.rule.Hit() {
			errs = append(errs, script.Error{File: x.sc.File, Pos: p.fault.Pos, Msg: x.explainUnreached(p)})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

func (x *execution) explainUnreached(p placed) string {
	command, sent := p.rule.Command, x.net.Places(p.rule.Actor)
	msg := fmt.Sprintf("variant %s never reaches this place: %s does not send %s", x.variant.Name.Text, p.rule.Actor, command)
	if p.rule.Nth > 1 {
		msg += fmt.Sprintf(" %d times", p.rule.Nth)
	}
	if len(sent) == 0 {
		return msg + "; it sends nothing"
	}
	return msg + "; it sends " + strings.Join(sent, ", ") + suggest.DidYouMean(command, sent)
}
