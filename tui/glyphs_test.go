package tui

import (
	"testing"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

func width(s string) int { return cells.Width(s) }

// singles are the glyphs that must take one cell, by name.
func singles(g *glyphs) map[string]string {
	return map[string]string{
		"cursor": g.cursor, "gap": g.gap, "rule": g.rule, "column": g.column,
		"lane": g.lane, "paused": g.paused, "pausedMark": g.pausedMark, "ended": g.ended, "crashed": g.crashed,
		"holds": g.holds, "doubts": g.doubts, "works": g.works, "store": g.store,
		"end": g.end, "left": g.left, "right": g.right, "openLeft": g.openLeft, "openRight": g.openRight,
		"line": g.line, "dash": g.dash, "cross": g.cross, "lost": g.lost,
		"call": g.call, "ret": g.ret, "receive": g.receive, "expire": g.expire, "fault": g.fault,
		"resume": g.resume, "note": g.note, "broken": g.broken, "parted": g.parted, "mark": g.mark, "hit": g.hit,
		"full": g.full, "rest": g.rest,
	}
}

func TestEveryGlyphTakesOneCell(t *testing.T) {
	for name, g := range map[string]*glyphs{"unicode": &unicodeGlyphs, "ascii": &asciiGlyphs} {
		for sign, s := range singles(g) {
			if w := width(s); w != 1 {
				t.Errorf("%s: %s is %q, %d cells", name, sign, s, w)
			}
		}
	}
	for char, s := range typography {
		if width(char) != width(s) {
			t.Errorf("%q is replaced by %q, which has another width", char, s)
		}
	}
}
