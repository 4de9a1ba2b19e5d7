package record

import (
	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// observed records an event from inside a call that lock code makes.
type observed struct {
	clock.Clock
	r *Recorder
}

func (o observed) NewEvent() clock.Event {
	o.r.Add(trace.Event{Actor: "A", Kind: trace.KindNote, Text: "the lock code makes an event"})
	return o.Clock.NewEvent()
}
