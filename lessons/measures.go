package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/runner"
)

// A lesson shows the measures of its scenario, one row for each variant, where
// it has a line
//
//	{{measures HEAD; NAME=TITLE; NAME=TITLE}}
//
// HEAD is the title of the column of variants. The table is made of runs, so
// that no number in it is written by hand.
const (
	measuresOpen  = "{{measures "
	measuresClose = "}}"
)

// WithMeasures puts the table of the measures of results, the runs of all
// variants, into the text of a lesson. A text without a line for it stays as it
// is.
func WithMeasures(text string, results []*runner.Result) (string, error) {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		spec, ok := strings.CutPrefix(l, measuresOpen)
		if !ok {
			continue
		}
		columns, err := measureColumns(strings.TrimSuffix(spec, measuresClose), results)
		if err != nil {
			return "", err
		}
		lines[i] = strings.TrimSuffix(measureTable(columns, results), "\n")
	}
	return strings.Join(lines, "\n"), nil
}

// HasMeasures reports whether a text asks for the table.
func HasMeasures(text string) bool { return strings.Contains(text, measuresOpen) }

// column is a measure with the title that the lesson gives it. The first column
// is that of the variants, and has no measure.
type column struct{ measure, title string }

func measureColumns(spec string, results []*runner.Result) ([]column, error) {
	var known []string
	for _, m := range results[0].Measures {
		known = append(known, m.Name)
	}
	var out []column
	for i, part := range strings.Split(spec, ";") {
		name, title, isMeasure := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case i == 0:
			out = append(out, column{title: name})
		case !isMeasure || !slices.Contains(known, name):
			return nil, fmt.Errorf("%q is no measure of the scenario; known: %s", name, strings.Join(known, ", "))
		default:
			out = append(out, column{name, title})
		}
	}
	return out, nil
}

func measureTable(columns []column, results []*runner.Result) string {
	var b strings.Builder
	var head []string
	for _, c := range columns {
		head = append(head, c.title)
	}
	row(&b, head)
	b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	for _, r := range results {
		cells := []string{r.Variant}
		for _, c := range columns[1:] {
			cells = append(cells, r.Measure(c.measure))
		}
		row(&b, cells)
	}
	return b.String()
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
