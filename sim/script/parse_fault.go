package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// fault walks along the forms of the kind of fault until one is left.
func (p *parser) fault(src source) {
	c := src.cursor(p)
	f := Fault{Pos: src.name.Pos, Kind: c.oneOf("fault", faultKinds())}
	forms := slices.DeleteFunc(slices.Clone(faultForms), func(form faultForm) bool { return form.kind() != f.Kind.Text })
	before := ""
	for i := 0; !c.failed; i++ {
		next := wordsAt(forms, i)
		if len(next) == 0 {
			break
		}
		w, ok := c.match(next)
		if !ok {
			break
		}
		forms = slices.DeleteFunc(forms, func(form faultForm) bool { return form.words()[i] != w })
		c.fill(&f, w, before)
		before = w
	}
	f.When = c.when()
	c.finish()
	p.scn.Faults = append(p.scn.Faults, f)
}

// wordsAt lists what the forms have at place i of their patterns.
func wordsAt(forms []faultForm, i int) []string {
	var out []string
	for _, f := range forms {
		if words := f.words(); i < len(words) && !slices.Contains(out, words[i]) {
			out = append(out, words[i])
		}
	}
	return out
}

// match picks the word of a pattern that the next token answers to.
func (c *cursor) match(words []string) (string, bool) {
	t := c.peek()
	var known, help []string
	for _, w := range words {
		if alt := alternatives(w); alt != nil {
			known = append(known, alt...)
			if slices.Contains(alt, t.text) {
				return w, true
			}
			continue
		}
		help = append(help, slotHelp[w])
		if t.text != "" && !t.punct {
			return w, true
		}
	}
	for _, k := range known {
		help = append(help, strconv.Quote(k))
	}
	c.fail(t.pos, "expected %s, found %s%s", either(help), t.describe(), suggest.DidYouMean(t.text, known))
	return "", false
}

// fill reads the next token into the field for a word of the pattern; before is
// the word in front of it.
func (c *cursor) fill(f *Fault, w, before string) {
	switch w {
	case "CLIENT":
		f.Target = c.use(useClient)
	case "ACTOR":
		f.Target = c.use(useActor)
	case "NODE":
		f.Target = c.use(useStore)
	case "GROUP":
		c.side(f)
	case "STATE":
		f.State = c.next().text
	case "DIR":
		f.Dir = c.next().text
	case "SIDE":
		f.Place = &Place{Before: c.next().text == "before"}
	case "COMMAND":
		if f.Place == nil {
			f.Place = &Place{}
		}
		f.Place.Command, f.Place.Nth = c.command()
	case "T", "D":
		v := c.value(TypeDuration, slotHelp[w])
		*f.timeField(before) = &v
	default:
		c.next()
	}
}

// side reads one side of a partition.
func (c *cursor) side(f *Fault) {
	i := 0
	if len(f.Sides[0]) > 0 {
		i = 1
	}
	c.list(func() {
		w := c.use(useActor)
		f.Sides[i] = append(f.Sides[i], c.fresh(slices.Concat(f.Sides[0], f.Sides[1]), w))
	})
}

// command reads COMMAND or COMMAND#N.
func (c *cursor) command() (Word, int) {
	w := c.word("a command")
	name, nth, err := splitOrdinal(w.Text)
	if err != nil {
		c.fail(w.Pos.shift(len(name)), "%v", err)
	}
	w.Text = name
	c.uses(useCommand, w)
	return w, nth
}

// maxNth bounds the number in NAME#N.
const maxNth = 9_999

// splitOrdinal cuts NAME#N; without a number, N is 1.
func splitOrdinal(s string) (name string, nth int, err error) {
	name, number, ok := strings.Cut(s, "#")
	if !ok {
		return name, 1, nil
	}
	nth, err = strconv.Atoi(number)
	if err != nil || nth < 1 || nth > maxNth || number[0] == '+' {
		return name, 1, fmt.Errorf("bad number \"#%s\": write #1 to #%d", number, maxNth)
	}
	return name, nth, nil
}
