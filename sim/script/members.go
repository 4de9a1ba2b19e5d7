package script

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxGroup bounds the clients of one group.
const MaxGroup = 1_000

// Member is a client that takes part in a variant: a client of its own or one of
// a group.
type Member struct {
	*Client
	Name string
	// Index is its place in the group, from 0.
	Index int
}

// Members are the clients of a variant with these parameters, in order.
func (s *Scenario) Members(variant string, params map[string]string) []Member {
	var out []Member
	for i := range s.Clients {
		c := &s.Clients[i]
		if !applies(c.When, variant) {
			continue
		}
		if c.Count == nil {
			out = append(out, Member{Client: c, Name: c.Name.Text})
			continue
		}
		n, _ := c.size(params)
		for j, name := range series(c.Name.Text, n) {
			out = append(out, Member{Client: c, Name: name, Index: j})
		}
	}
	return out
}

// CheckGroups says whether a group of the variant is too large or too small with
// these parameters.
func (s *Scenario) CheckGroups(variant string, params map[string]string) error {
	for i := range s.Clients {
		c := &s.Clients[i]
		if c.Count == nil || !applies(c.When, variant) {
			continue
		}
		if _, err := c.size(params); err != nil {
			return err
		}
	}
	return nil
}

// size is the number of clients in a group, 0 where it is no possible one.
func (c *Client) size(params map[string]string) (int, error) {
	text := c.Count.Text
	if name, ok := isRef(text); ok {
		text = params[name]
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxGroup {
		return 0, fmt.Errorf("group %s of %q clients: from 1 to 1,000 are possible", c.Name.Text, text)
	}
	return n, nil
}

// group reads NAME or NAME[COUNT], and behind it "every D".
func (c *cursor) group(cl *Client) {
	w := c.word("the name of a client")
	name, count, isGroup := strings.Cut(w.Text, "[")
	cl.Name = Word{Text: name, Pos: w.Pos}
	if c.failed {
		return
	}
	if err := checkName(name); err != nil {
		c.fail(w.Pos, "%v", err)
		return
	}
	if !isGroup {
		return
	}
	pos := w.Pos.shift(len(name) + 1)
	count, closed := strings.CutSuffix(count, "]")
	if !closed {
		c.fail(pos.shift(len(count)), "a \"]\" is missing")
		return
	}
	v := c.literal(Word{Text: count, Pos: pos}, TypeInteger, "a number of clients")
	cl.Count = &v
	if c.accept("every") {
		d := c.value(TypeDuration, "a duration such as 1ms")
		cl.Every = &d
	}
}

// checkGroups complains about groups that are too large or too small.
func (p *parser) checkGroups() {
	for i := range p.scn.Clients {
		c := &p.scn.Clients[i]
		if c.Count == nil || !p.whole("param", "variant") {
			continue
		}
		for j := range p.scn.Variants {
			v := &p.scn.Variants[j]
			if !applies(c.When, v.Name.Text) {
				continue
			}
			if _, err := c.size(p.scn.ParamsOf(v)); err != nil {
				p.fail(c.Count.Pos, "%v (variant %s)", err, v.Name.Text)
				p.broken["client"] = true
				break
			}
		}
	}
}
