// Package library gives the terminal interface what it shows: the lessons with
// their texts, the runs of their scenarios and the sources of the locks.
//
// What belongs here: putting together what lessons, scenarios, the runner and
// impl have. What does not: any of that itself, and showing it (tui). A run is
// not kept: the interface keeps those that it has opened.
package library

import (
	"context"
	"sync"

	"github.com/lockstep-sim/lockstep/impl"
	"github.com/lockstep-sim/lockstep/internal/phrase"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/check"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

// Library implements [tui.Library]. It is safe for concurrent use.
type Library struct {
	own *own

	mu       sync.Mutex
	measured map[string][]*runner.Result // the measures of lessons that compare, without the runs
}

// New makes a library of the embedded lessons and, unless it is nil, one
// scenario of the user's own. That comes first; instead of the texts of a lesson
// it has what came of its expectations when all variants were run, which is done
// when its chapter is asked for first.
func New(sc *script.Scenario) *Library {
	l := &Library{measured: map[string][]*runner.Result{}}
	if sc != nil {
		l.own = newOwn(sc, ownLimit)
	}
	return l
}

// Chapters implements [tui.Library].
func (l *Library) Chapters(lang tui.Lang) []tui.Chapter {
	var out []tui.Chapter
	if l.own != nil {
		out = append(out, tui.Chapter{Title: wordsFor(lang).title, Lessons: []tui.Lesson{l.own.describe(lang)}})
	}
	for _, c := range lessons.Chapters() {
		chapter := tui.Chapter{Title: c.Title(lessons.Lang(lang))}
		for _, id := range c.Lessons() {
			chapter.Lessons = append(chapter.Lessons, lesson(id, lessons.Lang(lang)))
		}
		out = append(out, chapter)
	}
	return out
}

// lesson is the entry of an embedded lesson. What cannot be read is left out
// here; opening the lesson says why.
func lesson(id string, lang lessons.Lang) tui.Lesson {
	out := tui.Lesson{ID: id, Title: id}
	if sc, err := scenarios.Load(id); err == nil {
		out = describe(sc)
	}
	if text, err := lessons.Load(id, lang); err == nil {
		out.Title, out.Question, out.Summary = text.Title, text.Question, text.Intro()
	}
	return out
}

// describe is what a scenario alone tells.
func describe(sc *script.Scenario) tui.Lesson {
	out := tui.Lesson{ID: sc.ID, Title: sc.Title}
	for _, v := range sc.Variants {
		out.Variants = append(out.Variants, tui.Variant{Name: v.Name.Text, Broken: len(v.Violates) > 0})
	}
	return out
}

// Open implements [tui.Library].
func (l *Library) Open(ctx context.Context, id, variant string) (*tui.Recording, error) {
	sc, err := l.scenario(id)
	if err != nil {
		return nil, err
	}
	if variant == "" {
		variant = sc.Variants[0].Name.Text
	}
	r, err := runner.Run(ctx, sc, variant, runner.Options{})
	if err != nil {
		return nil, err
	}
	rec := &tui.Recording{Trace: r.Trace, Texts: map[tui.Lang]tui.Text{}}
	for _, lang := range lessons.Langs {
		text := texts(r, lang)
		if text.Lesson, err = l.withMeasures(ctx, sc, text.Lesson); err != nil {
			return nil, err
		}
		rec.Texts[tui.Lang(lang)] = text
	}
	return rec, nil
}

// withMeasures puts the table that compares all variants into a text that asks
// for it. The runs are made once.
func (l *Library) withMeasures(ctx context.Context, sc *script.Scenario, text string) (string, error) {
	if len(sc.Measures) == 0 || !lessons.HasMeasures(text) {
		return text, nil
	}
	l.mu.Lock()
	results := l.measured[sc.ID]
	l.mu.Unlock()
	if results == nil {
		var err error
		if results, err = runner.RunAll(ctx, sc, runner.Options{}); err != nil {
			return "", err
		}
		for i, r := range results {
			results[i] = &runner.Result{Variant: r.Variant, Measures: r.Measures}
		}
		l.mu.Lock()
		l.measured[sc.ID] = results
		l.mu.Unlock()
	}
	return lessons.WithMeasures(text, results)
}

func (l *Library) scenario(id string) (*script.Scenario, error) {
	if l.own != nil && l.own.sc.ID == id {
		return l.own.sc, nil
	}
	return scenarios.Load(id)
}

// texts are what is told about a run. A scenario of the user's own has no
// narration, and for a lesson what came of the expectations.
func texts(r *runner.Result, lang lessons.Lang) tui.Text {
	t := tui.Text{Narration: map[string]tui.Narration{}, Invariants: map[string]string{}}
	for _, i := range check.All() {
		t.Invariants[i.Name] = lessons.Invariant(i.Name, lang)
	}
	if lang == lessons.Chinese {
		t.Phrase = func(s string) string { out, _ := phrase.Chinese(s); return out }
	}
	l, err := lessons.Load(r.Scenario.ID, lang)
	if err != nil {
		t.Lesson = wordsFor(tui.Lang(lang)).tell(&outcome{variant: r.Variant, failed: failed(r)})
		return t
	}
	t.Lesson = l.Body()
	for _, m := range r.Trace.Marks() {
		if text, ok := l.Narration(m.Name, r.Variant); ok {
			t.Narration[m.Name] = tui.Narration{Body: text}
		}
	}
	return t
}

// Source implements [tui.Library].
func (*Library) Source(file string) (string, error) { return impl.Source(file) }

var _ tui.Library = (*Library)(nil)
