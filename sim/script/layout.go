package script

// line is one entry of the layout of a file: what Format prints in which order.
// A directive with its continuation rows, or with its body, is one line.
type line struct {
	kind lineKind
	// directive is the word that the line begins with. Its items are those
	// from index from up to, not including, index to of the list in the
	// Scenario that the directive adds to.
	directive string
	from, to  int
	rows      []row
}

type lineKind int

const (
	blankLine lineKind = iota
	commentLine
	directiveLine
)

// row is one physical row of a line.
type row struct {
	steps   int    // the steps that stand on it, for clients
	comment string // with its "#", or empty
}

// layout is the order of the file or, for a scenario that was not read from one,
// the canonical order: a line for each directive.
func (s *Scenario) layout() []line {
	if s.lines != nil {
		return s.lines
	}
	var out []line
	for i := range directives {
		d := &directives[i]
		n := d.count(s)
		step := 1
		if d.joined {
			step = max(n, 1)
		}
		for from := 0; from < n; from += step {
			out = append(out, d.line(s, from, from+step))
		}
	}
	return out
}

// line is the entry for some items of the directive on a single row.
func (d *directive) line(s *Scenario, from, to int) line {
	r := row{}
	if d.Name == "client" {
		r.steps = len(s.Clients[from].Steps)
	}
	return line{kind: directiveLine, directive: d.Name, from: from, to: to, rows: []row{r}}
}
