package transcript

import (
	"fmt"
	"io"

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
	return nil
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
	_, err := fmt.Fprintf(w, "\n%s\n", l.Body())
	return err
}
