package script

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// maxTitle is the width in cells that every view has for a title; a Chinese
// character takes two.
const maxTitle = 60

func (p *parser) title(src source) {
	title := strings.Join(strings.Fields(src.rest), " ")
	if title == "" {
		p.fail(src.pos, "the title is missing")
	}
	if n := ansi.StringWidth(title); n > maxTitle {
		p.fail(src.pos.shift(1), "the title is %d cells wide: at most %d fit", n, maxTitle)
	}
	p.scn.Title = title
}

func (p *parser) store(src source) {
	c := src.cursor(p)
	for first := true; first || c.more(); first = false {
		p.scn.Stores = append(p.scn.Stores, c.fresh(p.scn.Stores, c.oneOf("store", storeNames())))
	}
}

func (p *parser) lock(src source) {
	rest := src.rest
	for pos := src.pos; ; {
		key := strings.TrimLeft(rest, " \t")
		pos = pos.shift(len(rest) - len(key))
		if key == "" {
			break
		}
		n := strings.IndexAny(key+" ", " \t")
		p.addLock(Word{Text: key[:n], Pos: pos})
		pos, rest = pos.shift(n), key[n:]
	}
	if len(p.scn.Locks) == 0 {
		p.fail(src.pos, "the key of the lock is missing")
	}
}

func (p *parser) addLock(key Word) {
	if slices.ContainsFunc(p.scn.Locks, func(o Word) bool { return o.Text == key.Text }) {
		p.fail(key.Pos, "lock %q is listed twice", key.Text)
		return
	}
	p.scn.Locks = append(p.scn.Locks, key)
}

func (p *parser) params(src source) {
	c := src.cursor(p)
	if !c.more() {
		c.expected("NAME=VALUE")
	}
	for c.more() {
		p.scn.Params = append(p.scn.Params, c.setting(c.name("the name of a parameter")))
	}
}

// setting reads what follows the name of a parameter that is given a value. The
// value is a literal, so that one look at a variant tells what it runs with.
func (c *cursor) setting(name Word) Setting {
	c.need("=")
	v := Value(c.word("a value"))
	if _, ok := isRef(v.Text); ok {
		c.fail(v.Pos, "a parameter is set to a value, not to another parameter")
	}
	return Setting{Name: name, Value: v}
}

func (p *parser) resource(src source) {
	c := src.cursor(p)
	r := Resource{Name: c.name("the name of a resource")}
	c.need("=")
	r.Initial = c.value(TypeInteger, "the initial value")
	if c.more() {
		c.oneOf("setting of a resource", []string{"min"})
		c.need("=")
		least := c.value(TypeInteger, "the least value")
		r.Min = &least
	}
	c.finish()
	p.scn.Resources = append(p.scn.Resources, r)
}

func (p *parser) checks(src source) {
	c := src.cursor(p)
	for first := true; first || c.more(); first = false {
		w := c.oneOf("invariant", names(Invariants()))
		p.scn.Checks = append(p.scn.Checks, c.fresh(p.scn.Checks, w))
	}
}

// fresh complains about a word that is in the list already.
func (c *cursor) fresh(list []Word, w Word) Word {
	if !c.failed && slices.ContainsFunc(list, func(o Word) bool { return o.Text == w.Text }) {
		c.fail(w.Pos, "%q is listed twice", w.Text)
	}
	return w
}

func (p *parser) until(src source) {
	c := src.cursor(p)
	end := c.value(TypeDuration, "an instant such as 60s")
	c.longEnough("until", end)
	c.finish()
	p.scn.Until = &end
}

func (p *parser) variant(src source) {
	c := src.cursor(p)
	v := Variant{Name: c.name("the name of a variant")}
	for c.more() && !c.is("expect") {
		v.Set = append(v.Set, c.setting(c.changed()))
	}
	if !c.failed && !c.accept("expect") {
		c.fail(c.end, "the verdict is missing: end the line with \"expect no-violation\" or \"expect violation INVARIANT\"")
	}
	if verdict := c.oneOf("verdict", []string{"violation", "no-violation"}); verdict.Text == "violation" {
		c.list(func() {
			v.Violates = append(v.Violates, c.fresh(v.Violates, c.oneOf("invariant", names(Invariants()))))
		})
	}
	c.finish()
	p.scn.Variants = append(p.scn.Variants, v)
}

// changed reads the name of the parameter that a variant changes.
func (c *cursor) changed() Word {
	w := c.word("PARAM=VALUE or \"expect\"")
	if !c.is("=") {
		c.fail(w.Pos, "expected PARAM=VALUE or \"expect\", found %q%s", w.Text, suggest.DidYouMean(w.Text, []string{"expect"}))
	}
	return w
}

func (p *parser) mark(src source) {
	c := src.cursor(p)
	m := Mark{Name: c.name("the name of a mark")}
	c.need("at")
	m.At = c.instantOrEnd()
	m.When = c.when()
	c.finish()
	p.scn.Marks = append(p.scn.Marks, m)
}
