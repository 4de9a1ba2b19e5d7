package lessons

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// maxPoints is the number of points to remember that a reader can be expected
// to.
const maxPoints = 3

// Error is a mistake in the file of a lesson.
type Error struct {
	File string
	Line int // from 1
	Msg  string
}

// Error is "file:line: message".
func (e Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Parse reads the text of a lesson. The file name is only used in messages. The
// error joins an [Error] for every mistake.
func Parse(file string, src []byte) (*Lesson, error) {
	p := &parser{file: file, lesson: &Lesson{sections: map[string]string{}}, sectionAt: map[string]int{}}
	for _, b := range blocks(string(src)) {
		p.block(b)
	}
	p.complete()
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.lesson, nil
}

type parser struct {
	file      string
	lesson    *Lesson
	sectionAt map[string]int // the line of each section
	errs      []error
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, Error{File: p.file, Line: line, Msg: fmt.Sprintf(format, args...)})
}

func (p *parser) block(b block) {
	key, isSection := strings.CutPrefix(b.heading, "## ")
	switch {
	case b.heading == "":
		if b.text != "" {
			p.fail(b.line, "text before the title: a lesson starts with \"# Title\"")
		}
		return
	case !isSection:
		p.title(b)
		return
	case b.text == "":
		p.fail(b.line, "%q has no text", key)
	}
	words := strings.Fields(key)
	if len(words) > 0 && words[0] == "mark" {
		p.mark(b, words[1:])
		return
	}
	p.section(b, key)
}

func (p *parser) title(b block) {
	if p.lesson.Title != "" {
		p.fail(b.line, "a second title")
		return
	}
	p.lesson.Title = strings.TrimSpace(strings.TrimPrefix(b.heading, "# "))
	p.lesson.Question = oneLine(b.text)
	if p.lesson.Title == "" {
		p.fail(b.line, "the title is empty")
	}
	if p.lesson.Question == "" || strings.Contains(b.text, "\n\n") {
		p.fail(b.line, "the title is followed by one paragraph: the question that the lesson answers")
	}
}

func (p *parser) section(b block, key string) {
	if !slices.Contains(Sections(), key) {
		known := append(Sections(), "mark")
		p.fail(b.line, "unknown section %q%s", key, suggest.DidYouMean(key, known))
		return
	}
	if first, twice := p.sectionAt[key]; twice {
		p.fail(b.line, "section %q is in line %d already", key, first)
		return
	}
	p.sectionAt[key] = b.line
	p.lesson.sections[key] = b.text
	if key == "remember" {
		p.points(b)
	}
}

func (p *parser) points(b block) {
	n := 0
	for l := range strings.Lines(b.text) {
		if strings.HasPrefix(l, "- ") {
			n++
		}
	}
	if n < 1 || n > maxPoints {
		p.fail(b.line, "%d points to remember, each starting with \"- \": there are to be 1 to %d", n, maxPoints)
	}
}

// mark reads "mark NAME [variant=V,…]".
func (p *parser) mark(b block, words []string) {
	m := mark{text: b.text}
	switch len(words) {
	case 2:
		list, ok := strings.CutPrefix(words[1], "variant=")
		if !ok || list == "" {
			p.fail(b.line, "expected \"mark NAME\" or \"mark NAME variant=V,…\"")
			return
		}
		m.variants = strings.Split(list, ",")
	case 1:
	default:
		p.fail(b.line, "expected \"mark NAME\" or \"mark NAME variant=V,…\"")
		return
	}
	m.name = words[0]
	if m.name == Start && len(m.variants) > 0 {
		p.fail(b.line, "the start is told the same way for all variants")
	}
	if p.taken(m) {
		p.fail(b.line, "mark %q has a text for this already", m.name)
		return
	}
	p.lesson.marks = append(p.lesson.marks, m)
}

// taken reports whether a mark has a text already for all, or for one of the
// variants, that m is for.
func (p *parser) taken(m mark) bool {
	return slices.ContainsFunc(p.lesson.marks, func(o mark) bool {
		if o.name != m.name {
			return false
		}
		return len(o.variants) == 0 && len(m.variants) == 0 ||
			slices.ContainsFunc(m.variants, func(v string) bool { return slices.Contains(o.variants, v) })
	})
}

func (p *parser) complete() {
	if p.lesson.Title == "" && len(p.errs) == 0 {
		p.fail(1, "no title: a lesson starts with \"# Title\"")
	}
	for _, key := range Sections() {
		if p.sectionAt[key] == 0 {
			p.fail(1, "section %q is missing", key)
		}
	}
	if p.lesson.Intro() == "" {
		p.fail(1, "the narration of the start is missing: \"## mark start\"")
	}
}
