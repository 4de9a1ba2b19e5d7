package script

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// Parse reads a scenario. The file name is only used in messages. The error is
// an [Errors] with everything that is wrong; the scenario is nil then.
func Parse(file string, src []byte) (*Scenario, error) {
	lines, err := splitSource(file, src)
	if err != nil {
		return nil, err
	}
	p := &parser{
		scn:    &Scenario{File: file, ID: Printable(file)},
		input:  lines,
		seen:   map[string]bool{},
		broken: map[string]bool{},
	}
	for p.n < len(p.input) {
		p.line()
	}
	p.validate()
	if len(p.errs) > 0 {
		return nil, p.errs.sorted()
	}
	return p.scn, nil
}

// parser turns lines into a Scenario. It goes on after a mistake, so that one
// reading reports all of them.
type parser struct {
	scn   *Scenario
	input []string
	n     int // index in input of the next line
	errs  Errors

	seen   map[string]bool // directives that occurred
	broken map[string]bool // directives with a line that could not be read
	roster *roster         // of the whole file, once that is known
	refs   []paramRef
	uses   []use
}

// paramRef is a place where $name stands.
type paramRef struct {
	name string
	pos  Pos
	typ  Type
	what string
	// least is the shortest duration that means something there.
	least time.Duration
}

// use is a place where the name of something stands that is defined elsewhere.
type use struct {
	kind useKind
	name Word
}

type useKind string

const (
	useClient   useKind = "client"
	useStore    useKind = "store"
	useActor    useKind = "client or store"
	useResource useKind = "resource"
	useVariant  useKind = "variant"
	useCommand  useKind = "command"
	useLock     useKind = "lock"
)

func (p *parser) fail(pos Pos, format string, args ...any) {
	p.errs = append(p.errs, Error{File: p.scn.File, Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// maxSuggestions is how many mistakes a file may have before its words are no
// longer compared with the known ones, which takes time and helps nobody then.
const maxSuggestions = 100

// unknown complains about a word that is not among the known ones.
func (p *parser) unknown(pos Pos, what, word string, known []string) {
	if len(p.errs) >= maxSuggestions {
		p.fail(pos, "unknown %s %q", what, word)
		return
	}
	p.fail(pos, "%s", unknown(what, word, known))
}

// line reads the next line and what belongs to it.
func (p *parser) line() {
	text := p.input[p.n]
	trimmed := strings.Trim(text, " \t")
	switch {
	case trimmed == "":
		p.n++
		p.scn.lines = append(p.scn.lines, line{kind: blankLine})
	case trimmed[0] == '#':
		p.n++
		p.scn.lines = append(p.scn.lines, line{kind: commentLine, rows: []row{{comment: trimmed}}})
	case isSpace(text[0]):
		p.n++
		p.fail(Pos{Line: p.n, Col: 1},
			"a line that starts with white space goes on with a client whose line before ends in \";\" or \":\"")
	default:
		p.directive()
	}
}

// directive reads a directive by its row of the table.
func (p *parser) directive() {
	mistakes := len(p.errs)
	src := p.firstRow()
	d, ok := findDirective(src.name.Text)
	if !ok {
		p.misspelt(&src)
		return
	}
	p.order(d, src.name.Pos)
	p.seen[d.Name] = true
	before, from := *p.scn, d.count(p.scn)
	if !d.verbatim {
		p.readRows(&src, d.Name == "client")
	}
	if d.Name == "trace" {
		p.readBody(&src)
	}
	if len(p.errs) == mistakes {
		d.parse(p, src)
	}
	if len(p.errs) > mistakes {
		p.broken[d.Name] = true
		*p.scn = before // half a line would only give rise to more complaints
		return
	}
	p.scn.lines = append(p.scn.lines, line{
		kind: directiveLine, directive: d.Name,
		from: from, to: d.count(p.scn), rows: src.layout(p.scn),
	})
}

// misspelt complains about an unknown directive and passes over what belongs to
// it. The one that was meant counts as present but unreadable.
func (p *parser) misspelt(src *source) {
	mistakes := len(p.errs)
	p.checkWidth(src.name.Text, src.name.Pos)
	if len(p.errs) == mistakes {
		p.unknown(src.name.Pos, "directive", src.name.Text, directiveNames())
	}
	if meant, ok := suggest.Nearest(src.name.Text, directiveNames()); ok {
		p.seen[meant], p.broken[meant] = true, true
	}
	if p.n < len(p.input) && isFence(p.input[p.n]) {
		p.readBody(src)
	}
	p.skipIndented()
}

// order checks that the directive may stand where it stands.
func (p *parser) order(d *directive, pos Pos) {
	switch {
	case d.once && p.seen[d.Name]:
		p.fail(pos, "a second %q line: there can be only one", d.Name)
	case d.Name == "title" && len(p.seen) > 0:
		p.fail(pos, "the title has to be the first directive")
	case d.Name != "trace" && p.seen["trace"]:
		p.fail(pos, "only traces can follow a trace: move this line up")
	}
}
