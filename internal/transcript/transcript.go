// Package transcript writes a run as plain text, step by step, for pipes, logs
// and screen readers.
//
// What belongs here: the order of the text and its words in every language.
// What does not: the texts of lessons, the translation of what the simulator
// says (internal/phrase), and colours or drawings, of which there are none.
package transcript

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/phrase"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Options choose what is told besides the run.
type Options struct {
	Lang lessons.Lang
	// Lesson tells its title and its narration at the marks; nil leaves both
	// out.
	Lesson *lessons.Lesson
}

// Write writes one variant: what was run, every step, and what came of the
// expectations. The error is that of w.
func Write(w io.Writer, r *runner.Result, opts Options) error {
	t := &transcript{r: r, tr: r.Trace, opts: opts, words: words[opts.Lang]}
	t.head()
	t.steps()
	t.expects()
	_, err := io.WriteString(w, t.out.String())
	return err
}

type transcript struct {
	r     *runner.Result
	tr    *trace.Trace
	opts  Options
	words *vocabulary
	out   strings.Builder
}

// line writes a line of its own.
func (t *transcript) line(format string, args ...any) {
	fmt.Fprintf(&t.out, format+"\n", args...)
}

// said is a sentence of the simulator in the language of the transcript.
func (t *transcript) said(text string) string {
	if t.opts.Lang == lessons.Chinese {
		text, _ = phrase.Chinese(text)
	}
	return text
}

// gap leaves a blank line, unless there is one.
func (t *transcript) gap() {
	if !strings.HasSuffix(t.out.String(), "\n\n") {
		t.line("")
	}
}

func (t *transcript) head() {
	title := t.r.Scenario.Title
	if t.opts.Lesson != nil {
		title = t.opts.Lesson.Title
	}
	t.line(t.words.title, t.r.Scenario.ID, title)
	if violates := t.violates(); violates == "" {
		t.line(t.words.fixed, t.r.Variant)
	} else {
		t.line(t.words.broken, t.r.Variant, violates)
	}
	if len(t.r.Changed) > 0 {
		t.line(t.words.changed, strings.Join(t.r.Changed, ", "))
	}
	t.gap()
}

// violates names the invariants that the variant is there to break.
func (t *transcript) violates() string {
	var names []string
	for _, v := range t.r.Scenario.Variants {
		if v.Name.Text != t.r.Variant {
			continue
		}
		for _, w := range v.Violates {
			names = append(names, w.Text)
		}
	}
	return strings.Join(names, ", ")
}

// steps tells every step, with the narration of a mark before the first step
// that it belongs to.
func (t *transcript) steps() {
	t.narrate(lessons.Start, 0)
	marks := t.tr.Marks()
	width := len(strconv.Itoa(t.tr.Len()))
	for i := 1; i <= t.tr.Len(); i++ {
		for len(marks) > 0 && marks[0].Step <= i {
			t.narrate(marks[0].Name, marks[0].At)
			marks = marks[1:]
		}
		e := t.tr.Event(i)
		t.line("%*d  %-9s  %s", width, i, trace.Instant(e.At), t.sentence(e))
		for _, d := range t.details(e) {
			t.line("%*s%s", width+15, "", d)
		}
	}
}

// narrate writes what the lesson tells at a mark.
func (t *transcript) narrate(mark string, at int64) {
	if t.opts.Lesson == nil {
		return
	}
	text, ok := t.opts.Lesson.Narration(mark, t.r.Variant)
	if !ok {
		return
	}
	t.gap()
	t.line("[%s, %s]", mark, trace.Instant(at))
	t.line("%s", text)
	t.gap()
}
