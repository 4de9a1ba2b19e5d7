package tui

import (
	"strings"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// twoColumns is the width from which the help shows keys and signs side by side.
const twoColumns = 76

// helpLines are the keys that are in force below the page, and what the signs
// mean.
func (a *app) helpLines(width int) []cells.Line {
	if a.player == nil {
		return a.keyHelp(inList, width)
	}
	if width < twoColumns {
		lines := append(a.keyHelp(inPlayer, width), nil)
		return append(lines, a.legend(width)...)
	}
	left := width * 55 / 100
	return beside(a.keyHelp(inPlayer, left-2), a.legend(width-left), left)
}

// keyHelp lists the bindings of a scope. One that is not available says why.
func (a *app) keyHelp(in scope, width int) []cells.Line {
	const keys = 11
	lines := []cells.Line{{{Text: txtHelpKeys.in(a.lang), Look: title}}}
	for i := range bindings {
		b := &bindings[i]
		if b.scope&in == 0 {
			continue
		}
		name := a.theme.fit(a.theme.keyNames(b), keys-1)
		line := cells.Line{{Text: name + strings.Repeat(" ", keys-cells.Width(name)), Look: accent}}
		text := cells.Line{{Text: b.help.in(a.lang)}}
		if reason := a.disabled(b.action); reason != 0 {
			text[0].Look = dim
			text = append(text, cells.Span{Text: txtWithReason.format(a.lang, reason.in(a.lang)), Look: dim})
		}
		for _, part := range cells.Wrap(text, width-keys) {
			lines = append(lines, append(line, part...))
			line = cells.Line{{Text: strings.Repeat(" ", keys)}}
		}
	}
	if in == inPlayer {
		lines = append(lines, cells.Line{{Text: a.theme.fit(txtHelpCount.in(a.lang), width), Look: dim}})
	}
	return append(lines, cells.Line{{Text: a.theme.fit(txtHelpMouse.in(a.lang), width), Look: dim}})
}

// legend explains the signs of the lanes.
func (a *app) legend(width int) []cells.Line {
	g := &a.theme.sign
	lines := []cells.Line{{{Text: txtHelpSigns.in(a.lang), Look: title}}}
	for _, e := range []struct {
		sign string
		look cells.Look
		text textID
	}{
		{g.holds, good, txtSignHolds},
		{g.doubts, doubtful, txtSignDoubts},
		{g.works, doubtful, txtSignWorks},
		{g.store + "A", storeLook, txtSignStore},
		{"A#1", storeLook, txtSignGrant},
		{"=", good, txtSignAgrees},
		{"+1", plain, txtSignMore},
		{g.lane + g.pausedMark, dim, txtSignPaused},
		{g.crashed, bad, txtSignCrashed},
		{g.end + g.line + g.right, plain, txtSignArrived},
		{g.end + g.dash + g.openRight, plain, txtSignFlying},
		{g.end + g.line + g.lost, bad, txtSignLost},
		{g.call + " " + g.ret, plain, txtSignCall},
		{g.gap, dim, txtSignGap},
		{g.parted, doubtful, txtSignParted},
		{g.broken, bad, txtSignBroken},
		{g.mark, markLook, txtSignMark},
		{g.hit, accent, txtSignHit},
	} {
		line := cells.Line{{Text: e.sign + strings.Repeat(" ", 5-cells.Width(e.sign)), Look: e.look}}
		for _, part := range cells.Wrap(cells.Line{{Text: e.text.in(a.lang)}}, width-5) {
			lines = append(lines, append(line, part...))
			line = cells.Line{{Text: "     "}}
		}
	}
	return lines
}

// beside puts two texts next to each other; the second begins at column at.
func beside(left, right []cells.Line, at int) []cells.Line {
	lines := make([]cells.Line, max(len(left), len(right)))
	for i := range lines {
		if i < len(left) {
			lines[i] = append(lines[i], left[i]...)
		}
		if i < len(right) {
			space := strings.Repeat(" ", max(at-lines[i].Width(), 0))
			lines[i] = append(append(lines[i], cells.Span{Text: space}), right[i]...)
		}
	}
	return lines
}
