package lessons

import (
	"fmt"
	"path"
	"strings"
)

// Term is an entry of the glossary.
type Term struct {
	ID   string // the same in every language
	Name string
	Text string // Markdown
}

// Glossary are the terms of the lessons in the order in which they build on one
// another.
func Glossary(lang Lang) ([]Term, error) {
	blocks, err := sectionsOf(lang, "glossary")
	if err != nil {
		return nil, err
	}
	var out []Term
	for _, b := range blocks {
		id, name, _ := strings.Cut(strings.TrimPrefix(b.heading, "## "), " ")
		out = append(out, Term{ID: id, Name: name, Text: b.text})
	}
	return out, nil
}

// GlossaryPage is the whole glossary as one Markdown text.
func GlossaryPage(lang Lang) (string, error) {
	terms, err := Glossary(lang)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range terms {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", t.Name, t.Text)
	}
	return strings.TrimSpace(b.String()), nil
}

// sectionsOf are the sections of a file beside the lessons.
func sectionsOf(lang Lang, name string) ([]block, error) {
	src, err := texts.ReadFile(path.Join(string(lang), name+ext))
	if err != nil {
		return nil, fmt.Errorf("reading the %s in language %s: %w", name, lang, err)
	}
	var out []block
	for _, b := range blocks(string(src)) {
		if strings.HasPrefix(b.heading, "## ") {
			out = append(out, b)
		}
	}
	return out, nil
}
