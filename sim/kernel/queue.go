package kernel

// Event is something scheduled: the continuation of a task or a call.
type Event struct {
	at    Time
	seq   uint64
	index int // position in the queue, -1 when not queued
	proc  *Process
	task  *Task
	fn    func()
}

// At is the virtual time at which the event is due.
func (e *Event) At() Time { return e.at }

func (e *Event) run(k *Kernel) {
	if e.task != nil {
		e.task.resume()
		return
	}
	if e.fn != nil {
		e.fn()
	}
}

func (k *Kernel) schedule(at Time, p *Process, fn func()) *Event {
	e := &Event{at: at, proc: p, fn: fn, index: -1}
	k.push(e)
	return e
}

// Cancel removes e from the schedule. It reports false when e has run already
// or was cancelled before.
func (k *Kernel) Cancel(e *Event) bool {
	if e.index >= 0 {
		k.queue.remove(e.index)
		return true
	}
	// An event of a paused process waits in its list, not in the queue.
	pending := e.fn != nil && e.proc != nil && e.proc.holds(e)
	e.fn = nil
	return pending
}

func (k *Kernel) push(e *Event) {
	k.seq++
	e.seq = k.seq
	k.queue.push(e)
}

// move reschedules a queued or idle event.
func (k *Kernel) move(e *Event, at Time) {
	if e.index >= 0 {
		k.queue.remove(e.index)
	}
	e.at = at
	k.push(e)
}

// queue is a binary heap in order of (time, sequence). It is written out rather
// than taken from container/heap because its operations are most of the cost of
// a task switch.
type queue []*Event

func (q queue) less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}

func (q queue) swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) push(e *Event) {
	e.index = len(*q)
	*q = append(*q, e)
	q.up(e.index)
}

func (q *queue) pop() *Event { return q.remove(0) }

func (q *queue) remove(i int) *Event {
	old := *q
	e, last := old[i], len(old)-1
	if i != last {
		old.swap(i, last)
	}
	old[last] = nil
	*q = old[:last]
	if i != last {
		q.down(i)
		q.up(i)
	}
	e.index = -1
	return e
}

func (q queue) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(i, parent) {
			return
		}
		q.swap(i, parent)
		i = parent
	}
}

func (q queue) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if child+1 < len(q) && q.less(child+1, child) {
			child++
		}
		if !q.less(child, i) {
			return
		}
		q.swap(i, child)
		i = child
	}
}
