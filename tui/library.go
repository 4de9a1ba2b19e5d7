package tui

import (
	"context"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Lang is a language of the interface and of the lesson texts.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Library is where the interface gets everything that it shows. Its methods are
// called from several goroutines.
type Library interface {
	// Chapters lists the lessons in their order, with texts in lang.
	Chapters(lang Lang) []Chapter

	// Open runs a variant of a lesson; an empty variant means the first one.
	// It should return within a few milliseconds. Its error is shown as it is.
	Open(ctx context.Context, id, variant string) (*Recording, error)

	// Glossary explains the terms of the field, in Markdown.
	Glossary(lang Lang) string

	// Guide are the questions that lead to a kind of lock, the first one first.
	Guide(lang Lang) []Question

	// Source is the text of a file as trace.Source names it, such as
	// impl/redislock/release.go.
	Source(file string) (string, error)
}

// Chapter is a group of lessons.
type Chapter struct {
	Title   string
	Lessons []Lesson
}

// Lesson is an entry of the list.
type Lesson struct {
	ID       string // such as redis/02-del-mis-delete
	Title    string
	Question string // what the learner should ask, in one line
	Summary  string // Markdown
	Variants []Variant
}

// Variant is one way of running a lesson.
type Variant struct {
	Name   string
	Broken bool // it is expected to break an invariant
}

// Question is a step of the guide to "which lock when".
type Question struct {
	ID      string // the same in every language
	Title   string
	Text    string // Markdown
	Answers []Answer
}

// Answer leads to another question or, if Lesson is not empty, to a lesson.
type Answer struct {
	Text   string
	Next   string // the ID of a question
	Lesson string // the ID of a lesson
}

// Recording is a lesson that has been run. It is not changed once Open has returned it.
type Recording struct {
	Trace *trace.Trace
	Texts map[Lang]Text
}

// Text is what is told about a run in one language.
type Text struct {
	Lesson     string               // the whole lesson, Markdown
	Narration  map[string]Narration // by the name of a mark
	Invariants map[string]string    // a short title for the name of an invariant
	// Phrase translates what a run itself says: the texts of its events and the
	// reasons of violations. It gives back what needs no translation, such as
	// commands. Nil translates nothing.
	Phrase func(string) string
}

// Narration is what is told from a mark on until the next one.
type Narration struct {
	Title string // may be empty
	Body  string // Markdown
}

// text is the text in lang, or in English if there is none.
func (r *Recording) text(lang Lang) Text {
	if t, ok := r.Texts[lang]; ok {
		return t
	}
	return r.Texts[English]
}
