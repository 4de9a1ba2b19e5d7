package tui

import "github.com/lockstep-sim/lockstep/tui/internal/cells"

// The smallest terminal that can show a lesson.
const (
	minWidth  = 40
	minHeight = 12
)

// The counters stand beside the narration if that keeps a comfortable width.
const (
	countersWidth = countTime + 3*countColumn + paneMargin
	comfortable   = 70
)

// pane is a part of the player that can have the focus.
type pane int

const (
	paneLanes pane = iota
	paneNarration
	paneStore
	paneInvariants
	paneCode
	paneCounters
	numPanes
)

// rect is a place on the screen.
type rect struct{ x, y, w, h int }

func (r rect) of(a cells.Area) cells.Area { return a.Sub(r.x, r.y, r.w, r.h) }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// layout says where everything is. Panes without room have no height.
type layout struct {
	width, height int
	header        rect
	head          rect // the names of the lanes
	detail        rect // the step in full
	belief        rect // belief against truth
	footer        rect
	panes         [numPanes]rect // without their titles, which stand one row above
	rules         []int          // rows with a line across
}

// layOut divides the screen. enlarged is the pane that takes the place of all
// others, or -1; a pane with the focus that has no room is enlarged as well.
func layOut(width, height int, focus pane, enlarged bool) layout {
	l := layout{width: width, height: height}
	l.header = rect{0, 0, width, 1}
	l.footer = rect{0, height - 1, width, 1}
	if !enlarged {
		l.overview()
		if l.panes[focus].h > 0 {
			return l
		}
		l = layout{width: width, height: height, header: l.header, footer: l.footer}
	}
	l.enlarge(focus)
	return l
}

// overview stacks everything that fits, from the bottom up. What is left belongs
// to the lanes.
func (l *layout) overview() {
	bottom := l.footer.y
	if n := l.narrationRows(); n > 0 {
		bottom -= n
		l.bottomRow(bottom, n)
		bottom--
		l.rules = append(l.rules, bottom)
	}
	if n := l.paneRows(); n > 0 {
		bottom -= n
		l.columns(bottom, n)
		bottom--
		l.rules = append(l.rules, bottom)
	}
	l.lanesAbove(bottom)
}

// bottomRow puts the narration at the bottom and, where its lines would be longer
// than is good to read, the counters beside it.
func (l *layout) bottomRow(y, h int) {
	text := l.width
	if rest := l.width - countersWidth - 1; rest >= comfortable {
		text = rest
		l.panes[paneCounters] = rect{text + 1, y, countersWidth, h}
	}
	l.panes[paneNarration] = rect{0, y, text, h}
}

// enlarge gives everything between the header and the step in full to one pane.
func (l *layout) enlarge(p pane) {
	if p == paneLanes {
		l.lanesAbove(l.footer.y)
		return
	}
	rows := l.detailRows()
	l.detail = rect{0, l.footer.y - rows, l.width, rows}
	l.panes[p] = rect{0, 2, l.width, l.detail.y - 2}
	l.rules = append(l.rules, 1)
}

func (l *layout) lanesAbove(bottom int) {
	l.belief = rect{0, bottom - 1, l.width, 1}
	rows := l.detailRows()
	l.detail = rect{0, l.belief.y - rows, l.width, rows}
	l.head = rect{0, 1, l.width, 1}
	if l.height >= 16 {
		l.head.h = 2
	}
	top := l.head.y + l.head.h
	l.panes[paneLanes] = rect{0, top, l.width, l.detail.y - top}
}

func (l *layout) detailRows() int {
	if l.height >= 30 || l.width < 60 && l.height >= 18 {
		return 2
	}
	return 1
}

func (l *layout) narrationRows() int {
	if l.height < 16 {
		return 0
	}
	return max(2, min(l.height/6, 9))
}

func (l *layout) paneRows() int {
	if l.height < 20 || l.width < 46 {
		return 0
	}
	return max(3, min(l.height/5, 12))
}

// columns puts the panes of a row side by side: all three, or the store and the
// invariants.
func (l *layout) columns(y, h int) {
	if l.width < 76 {
		left := l.width / 2
		l.panes[paneStore] = rect{0, y, left, h}
		l.panes[paneInvariants] = rect{left + 1, y, l.width - left - 1, h}
		return
	}
	store := l.width * 28 / 100
	invariants := l.width * 30 / 100
	code := l.width - store - invariants - 2
	l.panes[paneStore] = rect{0, y, store, h}
	l.panes[paneCode] = rect{store + 1, y, code, h}
	l.panes[paneInvariants] = rect{store + code + 2, y, invariants, h}
}

// paneAt is the pane at a place on the screen.
func (l *layout) paneAt(x, y int) (pane, bool) {
	for p := range numPanes {
		r := l.panes[p]
		if p != paneLanes && r.h > 0 {
			r.y, r.h = r.y-1, r.h+1 // the title belongs to it
		}
		if r.contains(x, y) {
			return p, true
		}
	}
	return 0, false
}
