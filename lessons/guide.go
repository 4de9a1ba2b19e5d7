package lessons

import (
	"fmt"
	"strings"
)

// Question is a step of the guide to "which lock when": a question with its
// answers or, where there are none to choose from, a recommendation.
type Question struct {
	ID      string // the same in every language
	Title   string
	Text    string // Markdown
	Answers []Answer
}

// Answer leads to another question, or to the lesson whose runs justify what was
// said.
type Answer struct {
	Text   string
	Next   string // the ID of a question, or empty
	Lesson string // the ID of a lesson, or empty
}

// GuideStart is the ID of the first question.
const GuideStart = "start"

// arrow stands between an answer and where it leads.
const arrow = " -> "

// Guide are the questions, the first one first.
func Guide(lang Lang) ([]Question, error) {
	blocks, err := sectionsOf(lang, "guide")
	if err != nil {
		return nil, err
	}
	var out []Question
	for _, b := range blocks {
		id, title, _ := strings.Cut(strings.TrimPrefix(b.heading, "## "), " ")
		q := Question{ID: id, Title: title}
		var text []string
		for l := range strings.Lines(b.text) {
			l = strings.TrimSuffix(l, "\n")
			answer, isAnswer := strings.CutPrefix(l, "- ")
			what, target, leads := strings.Cut(answer, arrow)
			if !isAnswer || !leads {
				text = append(text, l)
				continue
			}
			a := Answer{Text: what, Next: target}
			if strings.Contains(target, "/") {
				a.Next, a.Lesson = "", target
			}
			q.Answers = append(q.Answers, a)
		}
		q.Text = strings.TrimSpace(strings.Join(text, "\n"))
		out = append(out, q)
	}
	return out, nil
}

// GuidePage is the whole guide as one Markdown text, for those who read it in one
// go.
func GuidePage(lang Lang) (string, error) {
	questions, err := Guide(lang)
	if err != nil {
		return "", err
	}
	titles := map[string]string{}
	for _, q := range questions {
		titles[q.ID] = q.Title
	}
	var b strings.Builder
	for _, q := range questions {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", q.Title, q.Text)
		for _, a := range q.Answers {
			target := a.Lesson
			if target == "" {
				target = titles[a.Next]
			}
			fmt.Fprintf(&b, "- %s → %s\n", a.Text, target)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()), nil
}
