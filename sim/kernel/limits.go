package kernel

import (
	"fmt"
	"time"
)

// Limits bound a run. A zero field means the one of [DefaultLimits].
type Limits struct {
	Steps uint64        // events executed
	Time  time.Duration // virtual time
	Stall time.Duration // real time that one task may run without giving control back
}

// DefaultLimits are far above what any lesson needs, and low enough for a
// scenario that never ends to be told so within a few seconds.
var DefaultLimits = Limits{Steps: 5_000_000, Time: 24 * time.Hour, Stall: 5 * time.Second}

func (l Limits) withDefaults() Limits {
	if l.Steps == 0 {
		l.Steps = DefaultLimits.Steps
	}
	if l.Time == 0 {
		l.Time = DefaultLimits.Time
	}
	if l.Stall == 0 {
		l.Stall = DefaultLimits.Stall
	}
	return l
}

func (l Limits) check(at Time, steps uint64) error {
	switch {
	case steps > l.Steps:
		return &LimitError{Limit: "steps", Value: fmt.Sprint(l.Steps), At: at}
	case at > Time(l.Time):
		return &LimitError{Limit: "virtual time", Value: l.Time.String(), At: at}
	}
	return nil
}

// LimitEvents is the limit on the length of the record, which the recorder sets.
const LimitEvents = "events"

// LimitError says which limit a run has reached.
type LimitError struct {
	Limit string // "steps", "virtual time" or LimitEvents
	Value string
	At    Time // virtual time at which it was reached
}

func (e *LimitError) Error() string {
	if e.Limit == LimitEvents {
		return fmt.Sprintf("the run reached its limit of %s events after %v of virtual time: fewer clients or an earlier end (\"until\") keep it below",
			e.Value, time.Duration(e.At).Round(time.Millisecond))
	}
	return fmt.Sprintf("the run reached its limit of %s %s after %v of virtual time: does something in it repeat for ever? (give the scenario an end with \"until\")",
		e.Value, e.Limit, time.Duration(e.At).Round(time.Second))
}
