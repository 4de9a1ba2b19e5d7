package tui

import (
	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// drawBelief sets what the clients believe against what the store says, in one
// line. A sign before each client tells whether the store agrees. The counters
// stand at the end of the line if they have no pane.
func (s *scene) drawBelief(a cells.Area, counters bool) {
	lines := []cells.Line{
		s.beliefLine(s.fullClaim, txtStoreSays, true), s.beliefLine(s.fullClaim, txtStoreSays, false),
		s.beliefLine(s.claim, txtStoreSays, true), s.beliefLine(s.claim, txtStoreSays, false),
		s.beliefLine(s.shortClaim, txtStoreShort, false),
	}
	if !s.line.granted && s.hasStore() {
		lines = []cells.Line{s.rowsLine()}
	}
	for _, line := range lines {
		if line.Width() <= a.Width()-2 {
			a.PutLine(1, 0, line)
			if counters {
				s.drawCounters(a, 1+line.Width())
			}
			return
		}
	}
	a.PutLine(1, 0, lines[len(lines)-1].Fit(a.Width()-2, s.sign.ellipsis))
}

// rowsLine says who holds which rows and who waits for what, where there is no
// lock but that of rows.
func (s *scene) rowsLine() cells.Line {
	var line cells.Line
	add := func(text string, look cells.Look) {
		if line != nil {
			line = append(line, cells.Span{Text: s.sign.separator})
		}
		line = append(line, cells.Span{Text: text, Look: look})
	}
	var wanted []string // in the order in which they are met
	waiters := map[string][]string{}
	for i := range s.world.Actors {
		for _, c := range s.world.SessionsOf(s.world.Actors[i].Name) {
			if len(c.Holds) > 0 {
				add(c.Name+" "+s.trf(txtSessionHolds, some(s.phrases(c.Holds))), storeLook)
			}
			if c.Waits != "" {
				if waiters[c.Waits] == nil {
					wanted = append(wanted, c.Waits)
				}
				waiters[c.Waits] = append(waiters[c.Waits], c.Actor)
			}
		}
	}
	for _, what := range wanted {
		add(s.trf(txtWaitFor, s.phrase(what), some(waiters[what])), doubtful)
	}
	if line == nil {
		add(s.tr(txtNoRowLocked), dim)
	}
	return line
}

// beliefLine is the line with the claims and the truth at some length, with or
// without the instant at which belief and truth parted.
func (s *scene) beliefLine(say func(actor int) string, truth textID, since bool) cells.Line {
	var line cells.Line
	for i := range s.world.Actors {
		claim := s.line.lane(s.step, i).claim
		sign, look := "= ", good
		switch {
		case claim == claimNone:
			continue
		case claim.contradicts():
			sign, look = s.sign.parted+" ", doubtful
		}
		line = append(line, cells.Span{Text: sign + say(i), Look: look}, cells.Span{Text: s.sign.separator})
	}
	if line == nil {
		nobody := txtNobodyBelieves
		if truth == txtStoreShort {
			nobody = txtNobodyShort
		}
		line = cells.Line{{Text: s.tr(nobody)}, {Text: s.sign.separator}}
	}
	line = append(line, cells.Span{Text: s.truth(truth), Look: storeLook})
	if step := int(s.line.parted[s.step]); since && step > 0 {
		text := s.sign.separator + s.trf(txtPartedAt, clockText(s.line.at(step)), step)
		line = append(line, cells.Span{Text: text, Look: doubtful})
	}
	return line
}

// fullClaim is a claim with its deadline, claim the same without it, shortClaim
// no more than that there is one.
func (s *scene) fullClaim(actor int) string {
	span, ok := s.line.lease(s.step, actor)
	if !ok {
		return s.claim(actor)
	}
	return s.trf(txtBelievesUntil, s.world.Actors[actor].Name, clockText(span.until))
}

func (s *scene) claim(actor int) string {
	text := txtBelieves
	if s.line.lane(s.step, actor).claim == claimWorks {
		text = txtWorksOn
	}
	return s.trf(text, s.world.Actors[actor].Name)
}

func (s *scene) shortClaim(actor int) string { return s.trf(txtClaims, s.world.Actors[actor].Name) }

// truth says who owns the lock in the store.
func (s *scene) truth(text textID) string {
	switch owner := s.line.truth[s.step]; {
	case owner != "":
		return s.trf(text, owner)
	case len(s.world.Truth) == 0 && !s.hasStore():
		return s.tr(txtNoStore)
	default:
		return s.trf(text, s.tr(txtFree))
	}
}

func (s *scene) hasStore() bool {
	for i := range s.world.Actors {
		if s.world.Actors[i].Role == trace.RoleStore {
			return true
		}
	}
	return false
}

// partedText says how the claim of a client contradicts the store from a row on.
func (s *scene) partedText(r row) string {
	name := s.line.header.Actors[r.item].Name
	owner := s.line.truth[r.step]
	if owner == "" {
		owner = s.tr(txtFree)
	}
	if s.line.lane(r.step, r.item).claim == claimWorks {
		return s.trf(txtPartedWorks, name, owner)
	}
	return s.trf(txtPartedBelieves, name, owner)
}
