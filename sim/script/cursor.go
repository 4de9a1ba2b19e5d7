package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// cursor reads the tokens of one directive, or of one step of a client. Its
// first complaint ends the reading: from then on every method returns a zero
// value and says nothing, so the code that reads a line needs no checks between.
type cursor struct {
	p      *parser
	toks   []token
	end    Pos // behind the last token, for what is missing there
	failed bool
}

func (p *parser) cursor(toks []token, start Pos) *cursor {
	end := start
	if n := len(toks); n > 0 {
		last := toks[n-1]
		end = last.pos.shift(len(last.text))
	}
	return &cursor{p: p, toks: toks, end: end}
}

func (c *cursor) fail(pos Pos, format string, args ...any) {
	if !c.failed {
		c.p.fail(pos, format, args...)
	}
	c.failed = true
}

// unknown complains about a word that is not among the known ones.
func (c *cursor) unknown(pos Pos, what, word string, known []string) {
	if !c.failed {
		c.p.unknown(pos, what, word, known)
	}
	c.failed = true
}

// more reports whether there is a token left to read.
func (c *cursor) more() bool { return !c.failed && len(c.toks) > 0 }

// peek is the next token; its text is empty at the end.
func (c *cursor) peek() token {
	if !c.more() {
		return token{pos: c.end}
	}
	return c.toks[0]
}

func (c *cursor) next() token {
	t := c.peek()
	if c.more() {
		c.toks = c.toks[1:]
	}
	return t
}

// is reports whether the next token is text, a word or a mark.
func (c *cursor) is(text string) bool { return c.more() && c.toks[0].text == text }

// accept skips the next token if it is text.
func (c *cursor) accept(text string) bool {
	if !c.is(text) {
		return false
	}
	c.next()
	return true
}

// expected complains about the next token.
func (c *cursor) expected(what string) {
	t := c.peek()
	c.fail(t.pos, "expected %s, found %s", what, t.describe())
}

// need skips the next token, which has to be text.
func (c *cursor) need(text string) {
	if !c.accept(text) {
		c.expected(fmt.Sprintf("%q", text))
	}
}

// word reads a word; what says in the complaint what it would have been.
func (c *cursor) word(what string) Word {
	if t := c.peek(); t.text == "" || t.punct {
		c.expected(what)
		return Word{}
	}
	t := c.next()
	return Word{Text: t.text, Pos: t.pos}
}

// oneOf reads a word that has to be among the known ones.
func (c *cursor) oneOf(what string, known []string) Word {
	w := c.word(article(what))
	if !c.failed && !slices.Contains(known, w.Text) {
		c.unknown(w.Pos, what, w.Text, known)
	}
	return w
}

// name reads a name that the line gives to something.
func (c *cursor) name(what string) Word {
	w := c.word(what)
	if c.failed {
		return w
	}
	if err := checkName(w.Text); err != nil {
		c.fail(w.Pos, "%v", err)
	}
	return w
}

// value reads a value of type t, a literal or a reference to a parameter.
func (c *cursor) value(t Type, what string) Value {
	return c.literal(c.word(what), t, what)
}

// literal takes a word as a value of type t.
func (c *cursor) literal(w Word, t Type, what string) Value {
	v := Value(w)
	if c.failed {
		return v
	}
	if name, ok := isRef(v.Text); ok {
		if name == "" {
			c.fail(v.Pos, "a name has to follow the $")
			return v
		}
		c.p.refs = append(c.p.refs, paramRef{name: name, pos: v.Pos, typ: t, what: what})
		return v
	}
	if err := t.check(v.Text); err != nil {
		c.fail(v.Pos, "%v", err)
	}
	return v
}

// use reads the name of something that is defined on another line.
func (c *cursor) use(kind useKind) Word {
	w := c.word(article(string(kind)))
	c.uses(kind, w)
	return w
}

// uses notes that w has to be the name of something.
func (c *cursor) uses(kind useKind, w Word) {
	if !c.failed {
		c.p.uses = append(c.p.uses, use{kind: kind, name: w})
	}
}

// list reads items separated by commas.
func (c *cursor) list(item func()) {
	item()
	for c.accept(",") {
		item()
	}
}

// when reads the condition that ends a line, if there is one.
func (c *cursor) when() []Word {
	if !c.accept("when") {
		return nil
	}
	var out []Word
	c.oneOf("condition", []string{"variant"})
	c.need("=")
	c.list(func() { out = append(out, c.fresh(out, c.use(useVariant))) })
	return out
}

// finish complains about what nothing has read.
func (c *cursor) finish() {
	if c.more() {
		t := c.peek()
		c.fail(t.pos, "unexpected %s%s", t.describe(), suggest.DidYouMean(t.text, []string{"when"}))
	}
}

// article puts "a" or "an" in front of a word.
func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// either words a choice for a message: "a, b or c".
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
