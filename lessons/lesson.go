package lessons

import (
	"slices"
	"strings"
)

// Start is the mark that every lesson has besides those of its scenario: the
// beginning, before the first step.
const Start = "start"

// Lesson is the text of one lesson in one language. All texts are Markdown
// without headings.
type Lesson struct {
	ID       string // that of the scenario
	Lang     Lang
	Title    string
	Question string // what the lesson answers

	sections map[string]string
	marks    []mark
}

// mark is the narration at a mark, for all variants or for some.
type mark struct {
	name     string
	variants []string // empty means all
	text     string
}

// section is a part of a lesson: its key in the file and what the reader sees.
type section struct {
	key     string
	heading map[Lang]string
}

// sections are the parts of every lesson in their order.
var sections = []section{
	{"what", map[Lang]string{English: "What happens", Chinese: "发生了什么"}},
	{"why", map[Lang]string{English: "Why", Chinese: "为什么"}},
	{"instead", map[Lang]string{English: "What to do instead", Chinese: "应该怎么做"}},
	{"remember", map[Lang]string{English: "Remember", Chinese: "记住"}},
	{"source", map[Lang]string{English: "Where it comes from", Chinese: "出处"}},
}

// Sections are the keys of the parts of every lesson, in their order.
func Sections() []string {
	out := make([]string, len(sections))
	for i, s := range sections {
		out[i] = s.key
	}
	return out
}

// Section is the text of one part by its key.
func (l *Lesson) Section(key string) string { return l.sections[key] }

// Intro is the narration of the beginning.
func (l *Lesson) Intro() string {
	text, _ := l.Narration(Start, "")
	return text
}

// Narration is what is told at a mark in a variant. A text for the variant wins
// over the one for all. It reports false where there is none.
func (l *Lesson) Narration(name, variant string) (string, bool) {
	general, found := "", false
	for _, m := range l.marks {
		switch {
		case m.name != name:
		case slices.Contains(m.variants, variant):
			return m.text, true
		case len(m.variants) == 0:
			general, found = m.text, true
		}
	}
	return general, found
}

// Marks are the marks that have a narration, in the order of the file.
func (l *Lesson) Marks() []string {
	var out []string
	for _, m := range l.marks {
		if !slices.Contains(out, m.name) {
			out = append(out, m.name)
		}
	}
	return out
}

// Body is the sections as one Markdown text with headings.
func (l *Lesson) Body() string {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("## " + s.heading[l.Lang] + "\n\n" + l.sections[s.key])
	}
	return b.String()
}
