package script

import "slices"

func (p *parser) client(src source) {
	c := src.cursor(p)
	var cl Client
	c.group(&cl)
	cl.When = c.when()
	colon := c.peek().pos
	c.need(":")
	if !c.failed {
		cl.Steps = p.steps(c.toks, colon.shift(1))
	}
	p.scn.Clients = append(p.scn.Clients, cl)
}

// steps reads the steps behind the colon of a client, each on its own, so that
// a mistake in one does not hide those in the others.
func (p *parser) steps(toks []token, pos Pos) []Step {
	var out []Step
	for {
		end := slices.IndexFunc(toks, func(t token) bool { return t.punct && t.text == ";" })
		if end < 0 {
			return append(out, p.step(toks, pos, out))
		}
		out = append(out, p.step(toks[:end], pos, out))
		pos = toks[end].pos.shift(1)
		toks = toks[end+1:]
	}
}

// step reads one step; before are those that the client does first.
func (p *parser) step(toks []token, pos Pos, before []Step) Step {
	c := p.cursor(toks, pos)
	var st Step
	if !c.more() {
		c.expected("a step")
		return st
	}
	c.delay(&st)
	st.Verb = c.oneOf("verb", names(Verbs()))
	v, ok := findVerb(st.Verb.Text)
	if !ok {
		return st
	}
	if n := len(before); n > 0 {
		if last, _ := findVerb(before[n-1].Verb.Text); last.last {
			c.fail(st.Verb.Pos, "nothing can follow %q: the client does nothing more", last.name)
		}
	}
	c.arguments(v, &st)
	for c.more() {
		c.extra(v, &st)
	}
	return st
}

// delay reads "at T" or "after D".
func (c *cursor) delay(st *Step) {
	switch {
	case c.accept("at"):
		at := c.value(TypeDuration, "an instant such as 100ms")
		st.At = &at
	case c.accept("after"):
		after := c.value(TypeDuration, "a duration such as 100ms")
		st.After = &after
	}
	if (st.At != nil || st.After != nil) && (c.is("at") || c.is("after")) {
		c.fail(c.peek().pos, "a step has \"at\" or \"after\" only once")
	}
}

// arguments reads what the verb has to be followed by.
func (c *cursor) arguments(v verb, st *Step) {
	for _, a := range v.args {
		if a.typ != typeResource {
			st.Args = append(st.Args, c.value(a.typ, article(string(a.typ))+" after "+v.name))
			continue
		}
		name := c.use(useResource)
		if !v.assign {
			st.Args = append(st.Args, Value(name))
			continue
		}
		c.need("=")
		st.Opts = append(st.Opts, Setting{Name: name, Value: c.value(TypeInteger, "a number")})
	}
}

// extra reads an option or a flag.
func (c *cursor) extra(v verb, st *Step) {
	w := c.word("an option of " + v.name)
	if !c.is("=") {
		c.flag(v, st, w)
		return
	}
	c.next()
	if !slices.Contains(v.opts, w.Text) {
		c.unknown(w.Pos, "option of "+v.name, w.Text, v.opts)
		return
	}
	for _, have := range st.Opts {
		switch {
		case have.Name.Text == w.Text:
			c.fail(w.Pos, "option %q is given twice", w.Text)
		case slices.Contains(v.either, w.Text) && slices.Contains(v.either, have.Name.Text):
			c.fail(w.Pos, "%q and %q exclude each other", have.Name.Text, w.Text)
		}
	}
	st.Opts = append(st.Opts, Setting{Name: w, Value: c.option(w.Text)})
}

// option reads the value of an option.
func (c *cursor) option(name string) Value {
	switch t := optionType(name); t {
	case typeLock:
		return Value(c.use(useLock))
	case TypeDuration:
		d := c.value(t, "a duration")
		c.longEnough(name, d)
		return d
	default:
		return c.value(t, article(string(t)))
	}
}

func (c *cursor) flag(v verb, st *Step, w Word) {
	switch {
	case c.failed:
	case slices.Contains(v.opts, w.Text):
		c.fail(w.Pos, "option %q lacks its value: write %s=VALUE", w.Text, w.Text)
	case !slices.Contains(v.flags, w.Text):
		c.unknown(w.Pos, "argument of "+v.name, w.Text, slices.Concat(v.opts, v.flags))
	default:
		st.Flags = append(st.Flags, c.fresh(st.Flags, w))
	}
}
