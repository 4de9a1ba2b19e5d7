package library

import (
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/tui"
)

// Glossary implements [tui.Library]. What cannot be read is told in its place.
func (*Library) Glossary(lang tui.Lang) string {
	page, err := lessons.GlossaryPage(lessons.Lang(lang))
	if err != nil {
		return err.Error()
	}
	return page
}

// Guide implements [tui.Library]. What cannot be read is left out.
func (*Library) Guide(lang tui.Lang) []tui.Question {
	questions, err := lessons.Guide(lessons.Lang(lang))
	if err != nil {
		return nil
	}
	out := make([]tui.Question, len(questions))
	for i, q := range questions {
		out[i] = tui.Question{ID: q.ID, Title: q.Title, Text: q.Text}
		for _, a := range q.Answers {
			out[i].Answers = append(out[i].Answers, tui.Answer(a))
		}
	}
	return out
}
