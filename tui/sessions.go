package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// sessionLines are what the sessions of a store do, hold, see and wait for: a
// transaction is more than the rows that it has changed.
func (s *scene) sessionLines(store string, width int) []cells.Line {
	var lines []cells.Line
	for _, c := range s.world.SessionsOf(store) {
		for _, l := range cells.Wrap(s.sessionLine(c), width-2) {
			if len(lines) > 0 && l[0].Look != title {
				l = append(cells.Line{{Text: "  "}}, l...)
			}
			lines = append(lines, l)
		}
	}
	return lines
}

func (s *scene) sessionLine(c trace.SessionChange) cells.Line {
	l := cells.Line{{Text: c.Name, Look: title}, {Text: " " + s.phrase(c.State)}}
	if len(c.Holds) > 0 {
		l = append(l, cells.Span{Text: s.sign.separator + s.trf(txtSessionHolds, some(s.phrases(c.Holds))), Look: storeLook})
	}
	if c.Waits != "" {
		l = append(l, cells.Span{Text: s.sign.separator + s.trf(txtSessionWaits, s.phrase(c.Waits), some(c.For)), Look: doubtful})
	}
	if c.Sees != "" {
		l = append(l, cells.Span{Text: s.sign.separator + s.trf(txtSessionSees, c.Sees), Look: dim})
	}
	return l
}

// phrases are what the run calls things, in the language of the scene.
func (s *scene) phrases(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = s.phrase(text)
	}
	return out
}

// watchers names the clients that watch each key, in the order of the lanes. It is
// computed once for a frame, whatever the number of keys.
func (s *scene) watchers() map[trace.KeyID][]string {
	if s.watched != nil {
		return s.watched
	}
	s.watched = map[trace.KeyID][]string{}
	for id := range s.world.Watches {
		key := trace.KeyID{Store: id.Store, Key: id.Key}
		s.watched[key] = append(s.watched[key], id.Actor)
	}
	for _, names := range s.watched {
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(s.line.actors[a], s.line.actors[b]) })
	}
	return s.watched
}

// maxNamed is how many names of a list are said.
const maxNamed = 3

// some is a list of names, cut where it is long.
func some(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s +%d", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}
