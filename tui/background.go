package tui

import (
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/tui/internal/noquery"
)

func init() { noquery.Over() }

// background is what is known of the background of the terminal. The terminal is
// not asked: many do not answer, and each of those would have to be waited for.
type background int

const (
	backgroundUnknown background = iota
	backgroundDark
	backgroundLight
)

// backgroundFrom reads COLORFGBG, which some terminals set: the numbers of the
// colours of the text and of the background, with something between for a few.
func backgroundFrom(colorFGBG string) background {
	text, last, found := strings.Cut(colorFGBG, ";")
	if i := strings.LastIndexByte(last, ';'); i >= 0 {
		last = last[i+1:]
	}
	number, err := strconv.Atoi(last)
	switch {
	case !found || text == "" || err != nil || number < 0 || number > 15:
		return backgroundUnknown
	case number == 7 || number > 8: // white and the bright colours; 8 is grey
		return backgroundLight
	default:
		return backgroundDark
	}
}
