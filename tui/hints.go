package tui

import (
	"strconv"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// hint is a reminder at the foot of the screen.
type hint struct {
	actions []action // their first keys are shown
	text    textID
}

// playerHints, listHints and pageHints are in order of importance: the last ones
// go first when there is little room, except for the help, which always stays.
var (
	playerHints = []hint{
		{[]action{actBackward, actForward}, txtHintStep},
		{[]action{actPlay}, txtHintPlay},
		{[]action{actNextVariant}, txtHintVariant},
		{[]action{actNextMark}, txtHintMark},
		{[]action{actNextClients}, txtHintClients},
		{[]action{actText}, txtHintText},
		{[]action{actSearch}, txtHintSearch},
		{[]action{actLang}, txtHintLang},
		{[]action{actGlossary}, txtHintGlossary},
		{[]action{actGuide}, txtHintGuide},
		{[]action{actNextPane}, txtHintPane},
		{[]action{actBack}, txtHintBack},
		{[]action{actEnlarge}, txtHintEnlarge},
		{[]action{actFuture}, txtHintFuture},
	}
	listHints = []hint{
		{[]action{actUp, actDown}, txtHintChoose},
		{[]action{actOpen}, txtHintOpen},
		{[]action{actFilter}, txtHintFilter},
		{[]action{actGuide}, txtHintGuide},
		{[]action{actGlossary}, txtHintGlossary},
		{[]action{actLang}, txtHintLang},
		{[]action{actQuit}, txtHintQuit},
		{[]action{actNextChapter}, txtHintChapter},
	}
	guideHints = []hint{
		{[]action{actUp, actDown}, txtHintChoose},
		{[]action{actOpen}, txtHintOpen},
		{[]action{actBack}, txtHintBack},
	}
	pageHints = []hint{
		{[]action{actUp, actDown}, txtHintScroll},
		{[]action{actBack}, txtHintBack},
	}
)

// drawFooter draws what the user is typing, or has to know, or else the hints.
func (a *app) drawFooter(area cells.Area) {
	switch {
	case a.prompt() != nil:
		a.prompt().draw(area, a.promptRemark())
	case a.notice != "":
		area.Put(1, 0, a.theme.fit(a.notice, area.Width()-2), doubtful)
	case a.player != nil && a.player.awaits():
		area.Put(1, 0, a.theme.fit(txtRunning.format(a.lang, a.player.want), area.Width()-2), doubtful)
	default:
		a.drawHints(area)
	}
}

func (a *app) drawHints(area cells.Area) {
	help := a.hintLine(hint{[]action{actHelp}, txtHintHelp})
	x, end := 1, area.Width()-help.Width()-1
	area.PutLine(end, 0, help)
	if p := a.player; p != nil && p.count > 0 {
		x = area.Put(x, 0, strconv.Itoa(p.count), cells.Reverse) + 2
	}
	ending := a.endHint()
	if ending != nil && x+ending.Width()+2 <= end {
		x = area.PutLine(x, 0, ending) + 2
	}
	for _, h := range a.hintsInForce() {
		if a.disabled(h.actions[0]) != 0 || ending != nil && h.text == txtHintVariant || h.text == txtHintClients && !a.crowded() {
			continue
		}
		if l := a.hintLine(h); x+l.Width()+2 <= end {
			x = area.PutLine(x, 0, l) + 2
		}
	}
}

// crowded reports whether the run that is shown has more actors than lanes.
func (a *app) crowded() bool {
	p := a.player
	return p != nil && p.run != nil && len(p.line().header.Actors) > maxLanes
}

// endHint points to the next variant once a run has been seen to its end.
func (a *app) endHint() cells.Line {
	p := a.player
	if a.scope() != inPlayer || p.run == nil || p.step < p.line().len() || a.disabled(actNextVariant) != 0 {
		return nil
	}
	next := p.lesson.Variants[p.variantAfter(1)]
	sign, look := a.theme.verdict(!next.Broken)
	return cells.Line{
		{Text: a.theme.keyOf(inPlayer, actNextVariant) + " ", Look: accent | cells.Bold},
		{Text: txtHintNow.in(a.lang) + " ", Look: cells.Bold},
		{Text: next.Name + " " + sign, Look: look | cells.Bold},
	}
}

func (a *app) hintsInForce() []hint {
	switch a.scope() {
	case inList:
		return listHints
	case inPage:
		return pageHints
	case inGuide:
		return guideHints
	default:
		return playerHints
	}
}

func (a *app) hintLine(h hint) cells.Line {
	keys := ""
	for i, act := range h.actions {
		if i > 0 {
			keys += "/"
		}
		keys += a.theme.keyOf(a.scope(), act)
	}
	return cells.Line{{Text: keys, Look: accent | cells.Bold}, {Text: " " + h.text.in(a.lang)}}
}
