package script

import (
	"slices"
	"strings"
)

func (p *parser) expect(src source) {
	c := src.cursor(p)
	e := Expect{Pos: src.name.Pos}
	e.Subject = c.subject()
	e.Op = c.operator()
	if row, ok := findSubject(e.Subject.Name, e.Subject.Field); ok && !c.failed {
		c.wants(&e, row.want)
	}
	e.When = c.when()
	c.finish()
	e.Text = e.String()
	p.scn.Expects = append(p.scn.Expects, e)
}

// operators compare what was found with what is wanted.
var operators = []string{"=", "!=", "<", "<=", ">", ">="}

func (c *cursor) operator() string {
	if t := c.peek(); !c.failed && !slices.Contains(operators, t.text) {
		c.expected("one of " + strings.Join(operators, " "))
	}
	return c.next().text
}

// wants reads the right side of an expectation.
func (c *cursor) wants(e *Expect, w want) {
	pos := c.peek().pos
	c.list(func() { e.Want = append(e.Want, c.want(w)) })
	if c.failed {
		return
	}
	if len(e.Want) > 1 && !w.list {
		c.fail(e.Want[1].Pos, "%s is one value, not a list", e.Subject)
	}
	if e.Op == "=" || e.Op == "!=" {
		return
	}
	first := e.Want[0].Text
	if len(e.Want) > 1 || slices.Contains(w.words, first) || w.typ != TypeDuration && w.typ != TypeInteger {
		c.fail(pos, "%q is for numbers and times: use = or != here", e.Op)
	}
}

// want reads one value of the right side.
func (c *cursor) want(w want) Value {
	t := c.peek()
	if slices.Contains(w.words, t.text) {
		c.next()
		return Value{Text: t.text, Pos: t.pos}
	}
	_, ref := isRef(t.text)
	switch {
	case w.typ == typeText && !ref:
		return c.text()
	case w.typ == typeClient && !ref:
		return Value(c.use(useClient))
	case w.typ == "" && !ref:
		return Value(c.oneOf("outcome", w.words))
	case w.typ == "":
		return c.value(TypeWord, "an outcome")
	}
	return c.value(w.typ, article(string(w.typ)))
}

// text reads an answer as it stands: all words up to the condition. White space
// between them counts as one space.
func (c *cursor) text() Value {
	v := Value(c.word("an answer"))
	for c.more() && !c.is("when") && !c.peek().punct {
		v.Text += " " + c.next().text
	}
	return v
}

// subject reads the left side of an expectation.
func (c *cursor) subject() Subject {
	w := c.word("what to look at")
	s := Subject{Pos: w.Pos}
	switch {
	case c.failed:
	case strings.HasPrefix(w.Text, "violation["):
		s.Name = "violation"
		c.bracket(&s, w)
		c.field(&s, w)
	case w.Text == "value":
		s.Name = "value"
		s.Arg = c.use(useResource).Text
		c.instant(&s)
	case slices.Contains([]string{"owner", "believers", "ttl", "waiting"}, w.Text):
		s.Name = w.Text
		c.instant(&s)
	case w.Text == "wakeups" || w.Text == "requests":
		s.Name = w.Text
		c.count(&s)
	case w.Text == "hand-off":
		s.Name = w.Text
		c.span(&s)
	case strings.Contains(w.Text, "."):
		c.clientSubject(&s, w)
	default:
		c.unknown(w.Pos, "subject", w.Text, append(subjectWords, "CLIENT.VERB"))
	}
	return s
}

// instant reads "at T", where T can be the end.
func (c *cursor) instant(s *Subject) {
	c.need("at")
	s.At = c.instantOrEnd()
}

// count reads "[of CLIENT] from T to T".
func (c *cursor) count(s *Subject) {
	if c.accept("of") {
		s.Actor = c.use(useClient).Text
	}
	c.span(s)
}

// span reads "from T to T".
func (c *cursor) span(s *Subject) {
	c.need("from")
	from := c.value(TypeDuration, "an instant such as 350ms")
	s.From = &from
	c.need("to")
	s.At = c.instantOrEnd()
}

// instantOrEnd is nil for the end.
func (c *cursor) instantOrEnd() *Value {
	if c.accept("end") {
		return nil
	}
	at := c.value(TypeDuration, "an instant such as 350ms, or \"end\"")
	return &at
}

// clientSubject takes CLIENT.WHAT apart.
func (c *cursor) clientSubject(s *Subject, w Word) {
	actor, rest, _ := strings.Cut(w.Text, ".")
	s.Actor = actor
	c.uses(useClient, Word{Text: actor, Pos: w.Pos})
	w = Word{Text: rest, Pos: w.Pos.shift(len(actor) + 1)}
	if strings.HasPrefix(rest, "sends[") {
		s.Name = "sends"
		c.bracket(s, w)
	} else {
		c.stepSubject(s, w)
	}
	c.field(s, w)
}

// stepSubject reads VERB[#N] or token[#N].
func (c *cursor) stepSubject(s *Subject, w Word) {
	head, _, _ := strings.Cut(w.Text, ".")
	what, nth, err := splitOrdinal(head)
	if err != nil {
		c.fail(w.Pos.shift(len(what)), "%v", err)
	}
	s.Nth = nth
	if what == "token" {
		s.Name = "token"
		return
	}
	s.Name, s.Verb = "step", what
	verbs := names(Verbs())
	switch {
	case what == "sends":
		c.fail(w.Pos.shift(len(what)), "sends needs a command: sends[SET]")
	case !slices.Contains(verbs, what):
		c.unknown(w.Pos, "verb", what, append(verbs, "sends", "token"))
	}
}

// bracket reads NAME[ARG].
func (c *cursor) bracket(s *Subject, w Word) {
	open := strings.Index(w.Text, "[")
	arg, rest, closed := strings.Cut(w.Text[open+1:], "]")
	pos := w.Pos.shift(open + 1)
	switch {
	case !closed:
		c.fail(pos.shift(len(arg)), "a \"]\" is missing")
	case rest != "" && rest[0] != '.':
		c.fail(pos.shift(len(arg)+1), "unexpected %q", rest)
	case s.Name == "sends":
		c.uses(useCommand, Word{Text: arg, Pos: pos})
	case !slices.Contains(names(Invariants()), arg):
		c.unknown(pos, "invariant", arg, names(Invariants()))
	}
	s.Arg = arg
}

// field reads what stands behind the last dot of w. The dots of a bracket, as in
// sends[release.lua].at, are not meant.
func (c *cursor) field(s *Subject, w Word) {
	tail := w.Text[strings.Index(w.Text, "]")+1:]
	_, field, has := strings.Cut(tail, ".")
	s.Field = field
	if _, ok := findSubject(s.Name, field); ok && (field != "" || !has) {
		return
	}
	pos := w.Pos.shift(len(w.Text) - len(field))
	if !has {
		c.fail(pos, "%s[…] needs a field: %s", s.Name, strings.Join(fields(s.Name), ", "))
		return
	}
	c.unknown(pos, "field", field, fields(s.Name))
}
