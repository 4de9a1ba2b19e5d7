package backend

import (
	"slices"
	"sync/atomic"
)

// closers are functions to be called at the end, the latest first.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

// run calls all of them, whatever they return, and forgets them. Of the errors
// it returns the first: the others have the same cause as a rule, a server that
// has gone.
func (c *closers) run() error {
	var first error
	for _, f := range slices.Backward(*c) {
		if err := f(); first == nil {
			first = err
		}
	}
	*c = nil
	return first
}

// meter counts requests.
type meter struct {
	requests, renewals atomic.Int64
}

func (m *meter) count(renewal bool) {
	m.requests.Add(1)
	if renewal {
		m.renewals.Add(1)
	}
}
