package tui

import (
	"io"
	"math/bits"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// The roles of colour. Each says something that a glyph or a word says as well.
const (
	plain cells.Look = iota
	dim
	title
	accent
	good
	doubtful
	bad
	storeLook
	markLook
	codeLook
	numRoles
)

// theme is how things look: the signs and the colours. It does not change.
type theme struct {
	sign  glyphs
	ascii bool
	sgr   [numRoles * attributes]string
}

const attributes = 16 // combinations of bold, reverse, underline and faint

// newTheme makes a theme. Without colour it uses bold, reverse and underline
// only.
func newTheme(ascii, color bool, behind background) *theme {
	t := &theme{sign: unicodeGlyphs, ascii: ascii}
	if ascii {
		t.sign = asciiGlyphs
	}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	styles := plainStyles(r)
	if color {
		styles = colorStyles(r, behind)
	}
	for role, style := range styles {
		for attr := range attributes {
			t.sgr[role*attributes+attr] = sequence(style, cells.Look(attr)<<8, color)
		}
	}
	return t
}

// colorStyles uses the sixteen colours of the terminal, which its owner has
// chosen to be readable, except for those that seldom are on the background: blue
// on a dark one; the bright ones, and yellow, on a light one.
func colorStyles(r *lipgloss.Renderer, behind background) [numRoles]lipgloss.Style {
	color := func(unknown, dark, light lipgloss.ANSIColor) lipgloss.Style {
		return r.NewStyle().Foreground([...]lipgloss.ANSIColor{
			backgroundUnknown: unknown, backgroundDark: dark, backgroundLight: light,
		}[behind])
	}
	return [numRoles]lipgloss.Style{
		plain:     r.NewStyle(),
		dim:       r.NewStyle().Faint(true),
		title:     r.NewStyle().Bold(true),
		accent:    color(6, 14, 4),
		good:      color(2, 10, 2),
		doubtful:  color(5, 11, 5).Bold(true),
		bad:       color(1, 9, 1).Bold(true),
		storeLook: color(6, 12, 4),
		markLook:  color(6, 13, 4),
		codeLook:  color(6, 6, 6),
	}
}

func plainStyles(r *lipgloss.Renderer) [numRoles]lipgloss.Style {
	bold, none := r.NewStyle().Bold(true), r.NewStyle()
	return [numRoles]lipgloss.Style{
		plain: none, dim: none, title: bold, accent: bold, good: none, doubtful: bold,
		bad: bold, storeLook: none, markLook: none, codeLook: r.NewStyle().Underline(true),
	}
}

// sequence is what switches a style on, with some attributes added.
func sequence(style lipgloss.Style, attr cells.Look, color bool) string {
	if attr&cells.Bold != 0 {
		style = style.Bold(true)
	}
	if attr&cells.Reverse != 0 {
		style = style.Reverse(true)
	}
	if attr&cells.Underline != 0 {
		style = style.Underline(true)
	}
	if attr&cells.Faint != 0 && color {
		style = style.Faint(true)
	}
	on, _, _ := strings.Cut(style.Render("x"), "x")
	return on
}

// on is the sequence that switches a look on.
func (t *theme) on(l cells.Look) string {
	return t.sgr[int(l.Role())*attributes+int(l>>8)]
}

// canvas makes a canvas for this theme.
func (t *theme) canvas(width, height int) *cells.Canvas {
	if t.ascii {
		return cells.NewCanvas(width, height, plainASCII)
	}
	return cells.NewCanvas(width, height, nil)
}

// fit cuts s to a width.
func (t *theme) fit(s string, width int) string { return cells.Fit(s, width, t.sign.ellipsis) }

// choose is the first text that fits, or the last one, cut.
func (t *theme) choose(width int, texts ...string) string {
	return cells.Choose(width, t.sign.ellipsis, texts...)
}

// verdict is the sign and look of something that holds or does not.
func (t *theme) verdict(ok bool) (string, cells.Look) {
	if ok {
		return t.sign.yes, good
	}
	return t.sign.no, bad
}

// bar is a bar of n cells of which left out of total are full. Anything left
// shows as at least one cell.
func (t *theme) bar(n int, left, total int64) string {
	full := 0
	switch {
	case left <= 0 || total <= 0:
	case left >= total:
		full = n
	default: // the product may be too large for 64 bits
		hi, lo := bits.Mul64(uint64(n), uint64(left))
		lo, carry := bits.Add64(lo, uint64(total-1), 0)
		cells, _ := bits.Div64(hi+carry, lo, uint64(total))
		full = int(cells)
	}
	return strings.Repeat(t.sign.full, full) + strings.Repeat(t.sign.rest, n-full)
}
