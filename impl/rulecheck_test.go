package impl_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// breach is one place where a rule is broken.
type breach struct {
	file               string
	line               int
	what, why, instead string
}

func (b breach) at() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

func (b breach) String() string {
	return fmt.Sprintf("%s: %s: %s; %s", b.at(), b.what, b.why, b.instead)
}

const (
	whyTime  = "time must come from the injected clock, or the code cannot run in virtual time"
	whyWait  = "code may wait only in a backend call or in a primitive of the clock"
	whyMutex = "whoever else wants the mutex waits as long as the backend takes"
	whyMark  = "an exemption must say why and stand beside what it exempts"
)

// banned are the names that break rule 1 or 2 by themselves, by import path.
var banned = map[string]map[string]breach{
	"time": {
		"Now":       {why: whyTime, instead: "use clock.Clock.Now"},
		"Since":     {why: whyTime, instead: "subtract from clock.Clock.Now"},
		"Until":     {why: whyTime, instead: "subtract clock.Clock.Now"},
		"Sleep":     {why: whyTime, instead: "use clock.Clock.Sleep"},
		"After":     {why: whyTime, instead: "use clock.Clock.Sleep or a Wait with a limit"},
		"AfterFunc": {why: whyTime, instead: "use clock.Clock.AfterFunc"},
		"NewTimer":  {why: whyTime, instead: "use clock.Clock.AfterFunc or a Wait with a limit"},
		"NewTicker": {why: whyTime, instead: "use clock.Clock.Sleep in a loop"},
		"Tick":      {why: whyTime, instead: "use clock.Clock.Sleep in a loop"},
	},
	"context": {
		"WithTimeout":       {why: whyTime, instead: "use clock.Clock.WithTimeout"},
		"WithTimeoutCause":  {why: whyTime, instead: "use clock.Clock.WithTimeout"},
		"WithDeadline":      {why: whyTime, instead: "use clock.Clock.WithTimeout"},
		"WithDeadlineCause": {why: whyTime, instead: "use clock.Clock.WithTimeout"},
	},
	"sync": {
		"WaitGroup": {why: whyWait, instead: "join through a clock.Event for each clock.Clock.Go"},
		"Cond":      {why: whyWait, instead: "use clock.Signal or clock.Event"},
		"NewCond":   {why: whyWait, instead: "use clock.Signal or clock.Event"},
	},
}

// checker collects the breaches in one file.
type checker struct {
	source
	imports  map[string]string // local name → import path, of the banned ones
	marks    map[int]*mark     // by line
	breaches []breach
}

// mark is a comment that exempts its line from rule 2.
type mark struct {
	reason string
	used   bool
}

const marker = "//lockstep:bare-wait"

// check returns the breaches in f. A range over a channel escapes it: that
// takes types.
func check(f source) []breach {
	c := &checker{source: f, imports: make(map[string]string), marks: make(map[int]*mark)}
	for p := range banned {
		if name := importName(f.syntax, p); name != "" {
			c.imports[name] = p
		}
	}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if reason, found := strings.CutPrefix(comment.Text, marker); found {
				c.marks[c.line(comment.Pos())] = &mark{reason: strings.TrimSpace(reason)}
			}
		}
	}
	ast.Inspect(f.syntax, c.node)
	c.mutexes()
	c.checkMarks()
	return c.breaches
}

// importName is the name by which a file calls a package, or empty.
func importName(f *ast.File, importPath string) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

func (c *checker) line(pos token.Pos) int { return c.fset.Position(pos).Line }

func (c *checker) report(pos token.Pos, what, why, instead string) {
	c.breaches = append(c.breaches, breach{file: c.path, line: c.line(pos), what: what, why: why, instead: instead})
}

// wait reports a breach of rule 2 unless its line is marked.
func (c *checker) wait(pos token.Pos, what, instead string) {
	if m := c.marks[c.line(pos)]; m != nil {
		m.used = true
		return
	}
	c.report(pos, what, whyWait, instead)
}

func (c *checker) checkMarks() {
	for line, m := range c.marks {
		b := breach{file: c.path, line: line, why: whyMark}
		switch {
		case m.reason == "":
			b.what, b.instead = "mark without a reason", "write "+marker+" and the reason"
		case !m.used:
			b.what, b.instead = "mark without a wait", "remove it or put it on the line of the wait"
		default:
			continue
		}
		c.breaches = append(c.breaches, b)
	}
}

// node is called for every node of the file.
func (c *checker) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		c.selector(n)
	case *ast.GoStmt:
		c.wait(n.Pos(), "go statement", "use clock.Clock.Go")
	case *ast.SendStmt:
		c.wait(n.Arrow, "channel send", "use clock.Signal or clock.Event")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.wait(n.Pos(), "channel receive", "use the Wait of clock.Signal or clock.Event")
		}
	case *ast.SelectStmt:
		c.wait(n.Pos(), "select", "use the Wait of clock.Signal or clock.Event, with a limit and a context")
		c.clauses(n)
		return false
	}
	return true
}

// clauses goes on below a select. Its own sends and receives are part of it.
func (c *checker) clauses(s *ast.SelectStmt) {
	for _, stmt := range s.Body.List {
		for _, body := range stmt.(*ast.CommClause).Body {
			ast.Inspect(body, c.node)
		}
	}
}

func (c *checker) selector(s *ast.SelectorExpr) {
	pkg, ok := s.X.(*ast.Ident)
	if !ok {
		return
	}
	importPath := c.imports[pkg.Name]
	b, found := banned[importPath][s.Sel.Name]
	if !found {
		return
	}
	what := importPath + "." + s.Sel.Name
	if b.why == whyWait {
		c.wait(s.Pos(), what, b.instead)
		return
	}
	c.report(s.Pos(), what, b.why, b.instead)
}
