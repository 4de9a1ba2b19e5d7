package script

import (
	"slices"
	"strings"
)

// fence is the line before and after a recorded trace.
const fence = "----"

func isFence(text string) bool { return strings.TrimRight(text, " \t") == fence }

func (p *parser) trace(src source) {
	c := src.cursor(p)
	variant := c.use(useVariant)
	c.finish()
	p.scn.Goldens = append(p.scn.Goldens, Golden{Variant: variant, Lines: src.body})
}

// readBody reads the lines between the fences. It does so whatever is wrong with
// the trace line itself, lest the recorded lines be taken for directives.
func (p *parser) readBody(src *source) {
	if p.n == len(p.input) || !isFence(p.input[p.n]) {
		p.fail(Pos{Line: p.n + 1, Col: 1}, "a line %s has to follow the trace line", fence)
		return
	}
	start := p.n + 1
	length := slices.IndexFunc(p.input[start:], isFence)
	if length < 0 {
		p.fail(src.name.Pos, "the trace is not closed by a line %s", fence)
		p.n = len(p.input)
		return
	}
	src.body = slices.Clone(p.input[start : start+length])
	p.n = start + length + 1
}
