package kernel

// Option is one event that could run next at a choice point.
type Option struct {
	Process string // the process it belongs to; empty for the environment
	Task    string // the task it continues; empty for a call
}

// Chooser answers choice points: given the events that are due at one instant,
// in the order in which they were scheduled, it returns the index of the one to
// run first. The others are offered again, together with what has become due at
// the same instant since. A search over schedules is a Chooser.
type Chooser func(options []Option) int

// SetChooser replaces the default answer, which is "the first".
func (k *Kernel) SetChooser(c Chooser) { k.chooser = c }

func (k *Kernel) next() *Event {
	if k.chooser == nil || len(k.queue) == 1 {
		return k.queue.pop()
	}
	first := k.queue.pop()
	due := []*Event{first}
	for len(k.queue) > 0 && k.queue[0].at == first.at {
		due = append(due, k.queue.pop())
	}
	chosen := 0
	if len(due) > 1 {
		k.now = first.at
		chosen = k.chooser(options(due))
	}
	for i, e := range due {
		if i != chosen {
			k.queue.push(e) // keeps its sequence number
		}
	}
	return due[chosen]
}

func options(events []*Event) []Option {
	out := make([]Option, len(events))
	for i, e := range events {
		if e.proc != nil {
			out[i].Process = e.proc.name
		}
		if e.task != nil {
			out[i].Task = e.task.name
		}
	}
	return out
}
