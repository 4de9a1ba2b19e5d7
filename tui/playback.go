package tui

import (
	"math"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// speeds are the factors of playing; normalSpeed is where it begins.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 8, 16}

const normalSpeed = 2

// tickMsg asks a playing player for its next step. run tells the ticks of one
// playing from those of an earlier one.
type tickMsg struct{ run int }

// pause is how long a step stays when the next one is gap nanoseconds of virtual
// time away. It grows with the logarithm of the gap: a second looks longer than
// a millisecond, and an hour of waiting does not last one.
func pause(gap int64, speed float64) time.Duration {
	ms := 400 + 250*math.Log10(1+float64(gap)/1e6)
	return time.Duration(ms / speed * float64(time.Millisecond))
}

// speedText writes a factor: 0.5×.
func speedText(speed float64, ascii bool) string {
	sign := "×"
	if ascii {
		sign = "x"
	}
	return strconv.FormatFloat(speed, 'g', -1, 64) + sign
}

// tick waits for the next step of a playing.
func (p *player) tick() tea.Cmd {
	run := p.playRun
	return tea.Tick(pause(p.line().gapBefore(p.step+1), speeds[p.speed]), func(time.Time) tea.Msg {
		return tickMsg{run}
	})
}

// togglePlay starts playing, from the beginning if the run has been seen to its
// end, or pauses it.
func (p *player) togglePlay() tea.Cmd {
	if p.playing {
		p.playing = false
		return nil
	}
	if p.step == p.line().len() {
		p.moveTo(0)
	}
	p.playing = true
	p.playRun++
	return p.tick()
}

// ticked advances a playing by a step.
func (p *player) ticked(msg tickMsg) tea.Cmd {
	if !p.playing || msg.run != p.playRun || p.run == nil {
		return nil
	}
	p.moveTo(p.step + 1)
	if p.step == p.line().len() {
		p.playing = false
		return nil
	}
	return p.tick()
}

// changeSpeed makes playing faster or slower.
func (p *player) changeSpeed(by int) { p.speed = max(0, min(p.speed+by, len(speeds)-1)) }
