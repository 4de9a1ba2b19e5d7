package rowstore

import (
	"strconv"
	"strings"
)

// expr reads operands with + or - between them.
func (p *parser) expr() expr {
	e := p.operand()
	for p.peek() == "+" || p.peek() == "-" {
		op := p.word()
		right, left := p.operand(), e
		e = expr{op: op, left: &left, right: &right}
	}
	return e
}

func (p *parser) operand() expr {
	w := p.word()
	switch {
	case w == "?":
		p.seen++
		return expr{literal: p.argument(p.seen)}
	case w[0] == '$':
		n, _ := strconv.Atoi(w[1:])
		return expr{literal: p.argument(n)}
	case w[0] == '\'':
		return expr{literal: strings.ReplaceAll(w[1:len(w)-1], "''", "'")}
	case w == "-":
		return expr{literal: -p.number()}
	case w[0] >= '0' && w[0] <= '9':
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			p.errorf("%s: %v", w, err)
		}
		return expr{literal: n}
	case strings.EqualFold(w, "NULL"):
		return expr{}
	}
	return expr{column: w}
}

func (p *parser) number() int64 {
	v, ok := p.operand().literal.(int64)
	if !ok {
		p.errorf("a number expected")
	}
	return v
}

func (p *parser) argument(n int) any {
	if n > len(p.args) {
		p.errorf("argument %d is missing", n)
	}
	if b, ok := p.args[n-1].([]byte); ok {
		return string(b)
	}
	return p.args[n-1]
}
