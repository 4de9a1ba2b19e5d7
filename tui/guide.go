package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// guide is the place of a user in the guide to "which lock when".
type guide struct {
	trail  []string // the questions that led here, the one shown last; empty at the start
	chosen int      // an answer
}

// question is the question that is shown; ok is false if there is none.
func (a *app) question() (q Question, ok bool) {
	questions := a.lib.Guide(a.lang)
	if len(questions) == 0 {
		return Question{}, false
	}
	trail := a.page.guide.trail
	if len(trail) == 0 {
		return questions[0], true
	}
	i := slices.IndexFunc(questions, func(q Question) bool { return q.ID == trail[len(trail)-1] })
	if i < 0 {
		return Question{}, false
	}
	return questions[i], true
}

// doInGuide performs an action while the guide is shown.
func (a *app) doInGuide(act action) tea.Cmd {
	g := &a.page.guide
	switch act {
	case actUp:
		a.moveAnswer(-1)
	case actDown:
		a.moveAnswer(1)
	case actOpen:
		return a.answer()
	case actBack:
		if len(g.trail) == 0 {
			a.page = page{}
			return nil
		}
		*g = guide{trail: g.trail[:len(g.trail)-1]}
	}
	return nil
}

func (a *app) moveAnswer(by int) {
	q, _ := a.question()
	g := &a.page.guide
	g.chosen = max(0, min(g.chosen+by, len(q.Answers)-1))
}

// answer goes where the chosen answer leads: to another question, or to a lesson.
func (a *app) answer() tea.Cmd {
	q, ok := a.question()
	g := &a.page.guide
	if !ok || g.chosen >= len(q.Answers) {
		return nil
	}
	chosen := q.Answers[g.chosen]
	if chosen.Lesson == "" {
		*g = guide{trail: append(slices.Clone(g.trail), chosen.Next)}
		return nil
	}
	from := *g
	a.page = page{}
	a.list.choose(chosen.Lesson)
	a.player = newPlayer(a.list.find(chosen.Lesson), "")
	a.player.from = &from
	return a.open()
}

// guideLines are the question with its answers, and the lines of the chosen one,
// from first to before end.
func (a *app) guideLines(width int) (lines []cells.Line, first, end int) {
	q, ok := a.question()
	if !ok {
		return []cells.Line{{{Text: txtNoGuide.in(a.lang), Look: dim}}}, 0, 1
	}
	lines = cells.Wrap(cells.Line{{Text: q.Title, Look: title}}, width)
	lines = append(append(lines, nil), a.theme.markdown(q.Text, width)...)
	lines = append(lines, nil)
	for i, answer := range q.Answers {
		from := len(lines)
		lines = append(lines, a.answerLines(answer, i == a.page.guide.chosen, width)...)
		if i == a.page.guide.chosen {
			first, end = from, len(lines)
		}
	}
	return lines, first, end
}

// answerLines are an answer and the lesson that it opens.
func (a *app) answerLines(answer Answer, chosen bool, width int) []cells.Line {
	sign, look := "  ", plain
	if chosen {
		sign, look = a.theme.sign.selected+" ", cells.Bold
	}
	text := cells.Line{{Text: answer.Text, Look: look}}
	if answer.Lesson != "" {
		text = append(text, cells.Span{Text: " " + a.theme.sign.to + " " + answer.Lesson, Look: accent})
	}
	var lines []cells.Line
	for _, part := range cells.Wrap(text, width-2) {
		lines = append(lines, append(cells.Line{{Text: sign, Look: accent}}, part...))
		sign = "  "
	}
	return lines
}
