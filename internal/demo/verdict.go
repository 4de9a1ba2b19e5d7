package demo

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

// writeVerdict writes what came out.
func (s *stage) writeVerdict(r contest.Snapshot) error {
	list := append(s.facts(r, r.Rate()),
		fact{"counter", fmt.Sprint(r.Value)},
		fact{"lost updates", fmt.Sprint(r.Lost())},
	)
	var b strings.Builder
	if s.Live {
		b.WriteString(s.headline() + "\n") // the live view has gone
	}
	if took := r.Elapsed.Round(s.Duration / 100); took < s.Duration {
		fmt.Fprintf(&b, "%-13s after %v\n", "ended early", took)
	}
	for _, f := range list {
		fmt.Fprintf(&b, "%-13s %s\n", f.name, f.value)
	}
	if r.Lost() == 0 {
		b.WriteString(s.kept(r) + "\n")
	}
	_, err := fmt.Fprint(s.Out, b.String())
	return err
}

// kept is the sentence for the case that nothing was lost.
func (s *stage) kept(r contest.Snapshot) string {
	switch {
	case s.NoLock:
		return "No update was lost, by luck: there was no lock."
	case r.Increments == 0:
		return "Nothing was incremented in that time."
	}
	return "The lock kept the workers apart: no update was lost."
}

// Loss says in one line that updates were lost, or is empty.
func Loss(o Options, r contest.Snapshot) string {
	switch {
	case r.Lost() == 0:
		return ""
	case o.NoLock:
		return fmt.Sprintf("%d of %d updates were lost: without the lock (--no-lock) nothing keeps the workers apart",
			r.Lost(), r.Increments)
	}
	return fmt.Sprintf("%d of %d updates were lost although every worker held the lock", r.Lost(), r.Increments)
}
