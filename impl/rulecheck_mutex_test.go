package impl_test

import (
	"go/ast"
	"go/types"
	"maps"
	"strings"
)

// held are the mutexes that are locked at some point of a function, as they are
// written there.
type held map[string]bool

// mutexes checks rule 3 in every function of the file. A function literal is a
// function of its own: it runs at another time.
func (c *checker) mutexes() {
	ast.Inspect(c.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				c.block(n.Body.List, held{})
			}
		case *ast.FuncLit:
			c.block(n.Body.List, held{})
		}
		return true
	})
}

// block follows the statements in order and returns what is locked after them,
// and whether control gets there at all.
func (c *checker) block(stmts []ast.Stmt, h held) (after held, goesOn bool) {
	for _, s := range stmts {
		if h, goesOn = c.stmt(s, h); !goesOn {
			return h, false
		}
	}
	return h, true
}

func (c *checker) stmt(s ast.Stmt, h held) (after held, goesOn bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return c.exprStmt(s, h), true
	case *ast.DeferStmt: // a deferred Unlock leaves the mutex locked to the end
		c.args(s.Call, h)
		return h, true
	case *ast.BlockStmt:
		return c.block(s.List, h)
	case *ast.LabeledStmt:
		return c.stmt(s.Stmt, h)
	case *ast.IfStmt:
		c.calls(h, s.Init, s.Cond)
		return c.branches(h, s.Body.List, elseOf(s))
	case *ast.ForStmt:
		c.calls(h, s.Init, s.Cond, s.Post)
		return c.branches(h, s.Body.List, nothing)
	case *ast.RangeStmt:
		c.calls(h, s.X)
		return c.branches(h, s.Body.List, nothing)
	case *ast.SwitchStmt:
		c.calls(h, s.Init, s.Tag)
		return c.branches(h, clausesOf(s.Body)...)
	case *ast.TypeSwitchStmt:
		c.calls(h, s.Init, s.Assign)
		return c.branches(h, clausesOf(s.Body)...)
	case *ast.SelectStmt:
		return c.branches(h, clausesOf(s.Body)...)
	case *ast.GoStmt: // runs elsewhere, and breaks another rule
		return h, true
	case *ast.ReturnStmt, *ast.BranchStmt:
		c.calls(h, s)
		return h, false
	default:
		c.calls(h, s)
		return h, true
	}
}

// exprStmt is where mutexes are locked and unlocked.
func (c *checker) exprStmt(s *ast.ExprStmt, h held) held {
	c.calls(h, s)
	call, ok := s.X.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return h
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return h
	}
	mutex := types.ExprString(method.X)
	h = maps.Clone(h)
	switch method.Sel.Name {
	case "Lock", "RLock":
		h[mutex] = true
	case "Unlock", "RUnlock":
		delete(h, mutex)
	}
	return h
}

// nothing is the alternative of taking no branch at all.
var nothing []ast.Stmt

// branches follows alternatives. What is locked after any of them that goes on
// is taken to be locked after all.
func (c *checker) branches(h held, bodies ...[]ast.Stmt) (after held, goesOn bool) {
	after = held{}
	for _, body := range bodies {
		if out, on := c.block(body, h); on {
			maps.Copy(after, out)
			goesOn = true
		}
	}
	return after, goesOn
}

func elseOf(s *ast.IfStmt) []ast.Stmt {
	if s.Else == nil {
		return nothing
	}
	return []ast.Stmt{s.Else}
}

// clausesOf are the alternatives of a switch or select. A switch without a
// default can take none of them; a select then waits.
func clausesOf(body *ast.BlockStmt) (bodies [][]ast.Stmt) {
	all := false
	for _, clause := range body.List {
		switch clause := clause.(type) {
		case *ast.CaseClause:
			bodies = append(bodies, clause.Body)
			all = all || clause.List == nil
		case *ast.CommClause:
			bodies = append(bodies, clause.Body)
			all = true
		}
	}
	if !all {
		bodies = append(bodies, nothing)
	}
	return bodies
}

// calls reports backend calls anywhere in the nodes, of which some may be nil.
func (c *checker) calls(h held, nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil || len(h) == 0 {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				c.args(n, h)
			}
			return true
		})
	}
}

// args reports a call that is given a context, except to package context, whose
// functions do not wait.
func (c *checker) args(call *ast.CallExpr, h held) {
	if len(h) == 0 || c.isContextCall(call) {
		return
	}
	for _, arg := range call.Args {
		if c.isContext(arg) {
			what := "call of " + types.ExprString(call.Fun) + " under a mutex"
			c.report(call.Pos(), what, whyMutex, "unlock first, or copy what the call needs")
			return
		}
	}
}

// isContext goes by names: ctx, anything that ends in ctx or Ctx, and what
// package context makes.
func (c *checker) isContext(arg ast.Expr) bool {
	switch arg := arg.(type) {
	case *ast.Ident:
		return isContextName(arg.Name)
	case *ast.SelectorExpr:
		return isContextName(arg.Sel.Name)
	case *ast.CallExpr:
		return c.isContextCall(arg)
	}
	return false
}

func isContextName(name string) bool {
	return strings.HasSuffix(name, "ctx") || strings.HasSuffix(name, "Ctx")
}

func (c *checker) isContextCall(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && c.imports[pkg.Name] == "context"
}
