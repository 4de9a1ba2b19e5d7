package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// maxShown is how many mistakes of one file a message lists.
const maxShown = 20

// Error is one mistake in a scenario file.
type Error struct {
	File string
	Pos  Pos
	Msg  string
}

// Error is "file:line:col: message", with the name of the file as [Printable]
// shows it.
func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", Printable(e.File), e.Pos.Line, e.Pos.Col, e.Msg)
}

// Errors are all mistakes of one file in the order of their positions. It is the
// type of every error that [Parse] returns.
type Errors []Error

// Error has one line for each mistake; after the first 20 it says how many more
// there are.
func (e Errors) Error() string {
	shown := e[:min(len(e), maxShown)]
	rows := make([]string, 0, len(shown)+1)
	for _, one := range shown {
		rows = append(rows, one.Error())
	}
	if more := len(e) - len(shown); more > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(rows, "\n")
}

// Unwrap gives the single mistakes to errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// sorted puts the mistakes in the order of the file and drops repetitions.
func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b Error) int { return a.Pos.compare(b.Pos) })
	return slices.Compact(e)
}

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// shift is the position n bytes further on the same line.
func (p Pos) shift(n int) Pos { return Pos{Line: p.Line, Col: p.Col + n} }

// maxListed is the size up to which a message lists a whole table.
const maxListed = 12

// unknown words the complaint about a word that is not among the known ones:
// with the nearest one, or with all of them where they are few.
func unknown(what, word string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, word)
	if near := suggest.DidYouMean(word, known); near != "" {
		return msg + near
	}
	switch {
	case len(known) == 0:
		return msg + ": there is none"
	case len(known) <= maxListed:
		return msg + ": known: " + strings.Join(known, ", ")
	}
	return msg
}
