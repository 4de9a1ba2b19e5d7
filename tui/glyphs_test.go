package tui

import "github.com/lockstep-sim/lockstep/tui/internal/cells"

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
