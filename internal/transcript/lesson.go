package transcript

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/sim/runner"
)

// WriteAll writes several variants with a blank line between them.
func WriteAll(w io.Writer, results []*runner.Result, opts Options) error {
	for i, r := range results {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := Write(w, r, opts); err != nil {
			return err
		}
	}
	return writeMeasures(w, results)
}

// writeMeasures compares the variants, if the scenario has measures.
func writeMeasures(w io.Writer, results []*runner.Result) error {
	if len(results) < 2 || len(results[0].Measures) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\n")
	for _, m := range results[0].Measures {
		fmt.Fprint(table, "\t", m.Name)
	}
	fmt.Fprint(table, "\n")
	for _, r := range results {
		fmt.Fprint(table, r.Variant)
		for _, m := range r.Measures {
			fmt.Fprint(table, "\t", r.Measure(m.Name))
		}
		fmt.Fprint(table, "\n")
	}
	return table.Flush()
}

// WriteLesson writes a lesson from its question to its source, with the
// variants in between. Without a lesson in the options it is [WriteAll].
func WriteLesson(w io.Writer, results []*runner.Result, opts Options) error {
	l := opts.Lesson
	if l == nil {
		return WriteAll(w, results, opts)
	}
	if _, err := fmt.Fprintf(w, "# %s\n\n%s\n\n", l.Title, l.Question); err != nil {
		return err
	}
	if err := WriteAll(w, results, opts); err != nil {
		return err
	}
	body, err := lessons.WithMeasures(l.Body(), results)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n", body)
	return err
}
