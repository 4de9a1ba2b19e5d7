package tui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"
)

// runID names a run. A run depends on nothing else, so one is never made twice.
type runID struct{ lesson, variant string }

// loaded is a run with what frames need of it.
type loaded struct {
	*Recording
	line    *timeline
	sources map[string]sourceFile
}

// phrase is a sentence of the run in some language.
func (l *loaded) phrase(lang Lang, text string) string {
	if f := l.text(lang).Phrase; f != nil {
		return f(text)
	}
	return text
}

// openedMsg brings a run, or says why there is none.
type openedMsg struct {
	id  runID
	run *loaded
	err error
}

var errNoRun = errors.New("the lesson has no recorded run")

// open gets the run that the player wants, from memory if it was seen before.
func (a *app) open() tea.Cmd {
	id := a.player.wanted()
	if run, ok := a.runs[id]; ok {
		a.opened(openedMsg{id: id, run: run})
		return nil
	}
	ctx, lib := a.ctx, a.lib
	return func() tea.Msg {
		run, err := load(ctx, lib, id)
		return openedMsg{id, run, err}
	}
}

// opened keeps a run and shows it if it is still wanted. What lies over the player
// is closed when there is no run under it any more.
func (a *app) opened(msg openedMsg) {
	if msg.err == nil {
		a.runs[msg.id] = msg.run
	}
	p := a.player
	if p == nil || p.wanted() != msg.id {
		return
	}
	p.show(msg.run, msg.err)
	p.findAgain(a.lang)
	if msg.err != nil {
		a.page, p.search.active = page{}, false
	}
}

// load opens a run and reads the sources that its steps point to.
func load(ctx context.Context, lib Library, id runID) (*loaded, error) {
	run, err := lib.Open(ctx, id.lesson, id.variant)
	if err != nil {
		return nil, err
	}
	if run == nil || run.Trace == nil {
		return nil, errNoRun
	}
	l := &loaded{Recording: run, line: newTimeline(run.Trace), sources: map[string]sourceFile{}}
	for step := 1; step <= run.Trace.Len(); step++ {
		name := run.Trace.Event(step).Source.File
		if _, known := l.sources[name]; !known && name != "" {
			l.sources[name] = readSource(lib, name)
		}
	}
	return l, nil
}

func readSource(lib Library, name string) sourceFile {
	text, err := lib.Source(name)
	if err != nil {
		return sourceFile{err: err}
	}
	return newSourceFile(name, text)
}
