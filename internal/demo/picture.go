package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

// The smallest terminal that the live view fits.
const (
	minWidth  = 40
	minHeight = 12
)

// styles are the colours of the live view: those of the lessons. Everything that
// they say stands in words as well.
type styles struct {
	title, dim, good, bad, bar lipgloss.Style
}

func newStyles(r *lipgloss.Renderer) styles {
	r.HasDarkBackground() // asks the terminal, which is too late once keys are read from it
	color := func(light, dark string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	return styles{
		title: r.NewStyle().Bold(true),
		dim:   r.NewStyle().Faint(true),
		good:  color("2", "10"),
		bad:   color("1", "9").Bold(true),
		bar:   color("4", "14"),
	}
}

// picture is the view at one moment; the present rate is that since earlier.
func (l *live) picture(now, earlier contest.Snapshot) string {
	lines := []string{
		l.style.title.Render(ansi.Truncate("lockstep demo · "+l.stage.headline(), l.width, "…")),
		l.progress(now),
		l.line("held by", l.stage.holder(now)),
		l.lost(now),
	}
	for _, f := range l.stage.facts(now, now.RateSince(earlier)) {
		lines = append(lines, l.line(f.name, f.value))
	}
	keys := l.style.dim.Render("q ends it")
	if room := l.height - 1; len(lines) > room {
		lines = lines[:room]
	} else {
		lines = append(lines, l.bars(now.PerWorker, now.Holder, room-len(lines))...)
	}
	return strings.Join(append(lines, keys), "\n")
}

// line is a fact, cut to the width.
func (l *live) line(name, value string) string {
	return ansi.Truncate(fmt.Sprintf("%-13s %s", name, value), l.width, "…")
}

// progress is a bar for the time that has passed.
func (l *live) progress(now contest.Snapshot) string {
	text := fmt.Sprintf(" %.1f of %v", now.Elapsed.Seconds(), l.stage.Duration)
	width := max(l.width-ansi.StringWidth(text), 1)
	full := int(min(int64(width), int64(width)*int64(now.Elapsed)/int64(l.stage.Duration)))
	return l.style.bar.Render(strings.Repeat("█", full)) + strings.Repeat("░", width-full) + text
}

// lost is the line about lost updates.
func (l *live) lost(now contest.Snapshot) string {
	text := l.line("lost updates", fmt.Sprint(now.Lost()))
	if now.Lost() > 0 {
		return l.style.bad.Render(text)
	}
	return l.style.good.Render(text)
}

// bars show the grants of each worker, or nothing if there is no room for all.
func (l *live) bars(perWorker []int64, holder, room int) []string {
	if len(perWorker)+1 > room {
		return nil
	}
	most := max(slices.Max(perWorker), 1)
	lines := []string{""}
	for i, n := range perWorker {
		mark := " "
		if i == holder {
			mark = "▸"
		}
		text := fmt.Sprintf(" %d", n)
		width := max(l.width-len("▸worker 000 ")-ansi.StringWidth(text), 1)
		bar := strings.Repeat("█", int(int64(width)*n/most))
		lines = append(lines, ansi.Truncate(fmt.Sprintf("%sworker %-3d ", mark, i+1)+l.style.bar.Render(bar)+text, l.width, "…"))
	}
	return lines
}
