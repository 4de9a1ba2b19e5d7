package tui

import (
	"fmt"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// scene is everything that the panes of one frame show. It is made anew for
// every frame.
type scene struct {
	*theme
	lang    Lang
	lesson  Lesson
	variant string
	run     *loaded
	line    *timeline // of run
	step    int
	world   trace.World // after step
	hits    hits
	playing string // the speed, if the run is being played

	hideFuture bool
	first      int // the first client with a lane of its own where not all have one

	watched map[trace.KeyID][]string // see watchers
}

// tr is a text of the interface in the language of the scene.
func (s *scene) tr(id textID) string { return id.in(s.lang) }

// trf is tr with arguments filled in.
func (s *scene) trf(id textID, args ...any) string { return fmt.Sprintf(id.in(s.lang), args...) }

// invariant is the title of an invariant.
func (s *scene) invariant(name string) string {
	if title := s.run.text(s.lang).Invariants[name]; title != "" {
		return title
	}
	return name
}

// phrase is what the run says, in the language of the scene.
func (s *scene) phrase(text string) string { return s.run.phrase(s.lang, text) }

// event is the event under the cursor, or nil at the beginning.
func (s *scene) event() *trace.Event {
	if s.step == 0 {
		return nil
	}
	return s.line.tr.Event(s.step)
}

// content is what a pane shows: lines, the first of which to show unless the
// user scrolls, and a title.
type content struct {
	title string
	lines []cells.Line
	top   int
}

// pane is the content of a pane for its size.
func (s *scene) pane(p pane, width, height int) content {
	switch p {
	case paneNarration:
		return s.narration(width)
	case paneStore:
		return s.stores(width, height)
	case paneInvariants:
		return s.invariants(width)
	case paneCode:
		return s.code(width, height)
	case paneCounters:
		return s.counts(width)
	default:
		return content{title: s.tr(txtPaneLanes)}
	}
}

// scrolled is the first line to show when the user has scrolled by some lines,
// and the lines that are shown then.
func (c *content) scrolled(by, height int) (top int, lines []cells.Line) {
	top = max(0, min(c.top+by, len(c.lines)-height))
	return top, c.lines[top:min(top+height, len(c.lines))]
}
