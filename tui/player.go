package tui

import (
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
)

// player is the place of a user in a lesson.
type player struct {
	lesson  Lesson
	from    *guide // the place in the guide that led here, or nil
	variant string // the one that is shown
	want    string // the one that is being opened, if different

	run *loaded // nil until it is opened
	err error   // why it could not be

	step     int
	places   map[string]int // steps of other variants at the same instant
	count    int            // digits typed
	focus    pane
	enlarged bool
	scroll   int // of the pane with the focus
	search   search

	playing bool
	playRun int // how often playing has begun
	speed   int // an index of speeds

	hideFuture bool
	first      int // the first client with a lane of its own where not all have one
}

// newPlayer opens a lesson. An empty variant means the first one.
func newPlayer(l Lesson, variant string) *player {
	if variant == "" && len(l.Variants) > 0 {
		variant = l.Variants[0].Name
	}
	return &player{lesson: l, variant: variant, want: variant, speed: normalSpeed}
}

// wanted is the run that the player waits for or shows.
func (p *player) wanted() runID { return runID{p.lesson.ID, p.want} }

// awaits reports whether the player still shows another run than the one wanted.
func (p *player) awaits() bool { return p.run != nil && p.want != p.variant }

func (p *player) line() *timeline { return p.run.line }

// show takes the run that was wanted. The cursor stays at the instant where it
// was: at the same step when the user comes back to a variant without having
// moved, and otherwise at the last step that has happened by then.
func (p *player) show(run *loaded, err error) {
	if p.awaits() {
		if p.places == nil {
			p.places = map[string]int{}
		}
		p.places[p.variant] = p.step
		if err == nil {
			p.step = p.sameInstant(run)
		}
	}
	p.variant, p.run, p.err = p.want, run, err
	p.playing, p.scroll = false, 0
	if run != nil {
		p.step = min(p.step, run.line.len())
	}
}

// sameInstant is the step of run at the virtual time of the cursor.
func (p *player) sameInstant(run *loaded) int {
	if step, ok := p.places[p.want]; ok {
		return step
	}
	if p.step == 0 {
		return 0
	}
	return run.Trace.StepBefore(p.line().at(p.step))
}

// moveTo puts the cursor on a step.
func (p *player) moveTo(step int) {
	p.step = max(0, min(step, p.line().len()))
	p.scroll = 0
	p.places = nil
}

// nextVariant asks for another variant, going round.
func (p *player) nextVariant(by int) {
	p.want = p.lesson.Variants[p.variantAfter(by)].Name
}

// variantAfter is the place of the variant that is some places further on.
func (p *player) variantAfter(by int) int {
	n := len(p.lesson.Variants)
	i := slices.IndexFunc(p.lesson.Variants, func(v Variant) bool { return v.Name == p.want })
	return (i + by + n) % n
}

// maxCount bounds the count before a key.
const maxCount = 1_000_000

// digit takes a digit of a count; a leading zero is none.
func (p *player) digit(msg tea.KeyMsg) bool {
	n, err := strconv.Atoi(msg.String())
	if err != nil || n < 0 || n > 9 || n == 0 && p.count == 0 {
		return false
	}
	p.count = min(p.count*10+n, maxCount)
	return true
}

// disabled says why an action cannot be performed now, or 0.
func (p *player) disabled(act action, lang Lang) textID {
	switch act {
	case actNone, actQuit, actBack, actHelp, actLang, actGlossary, actGuide:
		return 0
	case actNextVariant, actPrevVariant:
		if len(p.lesson.Variants) < 2 {
			return txtOneVariant
		}
		return 0
	}
	if p.run == nil {
		return txtNothingOpen
	}
	switch act {
	case actNextMark, actPrevMark:
		if len(p.run.Trace.Marks()) == 0 {
			return txtNoMarks
		}
	case actNextHit, actPrevHit:
		if p.search.value() == "" {
			return txtNoSearch
		}
		if len(p.search.hits) == 0 {
			return txtNoHits
		}
	case actText:
		if p.run.text(lang).Lesson == "" {
			return txtNoText
		}
	}
	return 0
}
