package record

// Ask notes that a client has begun to ask for a lock, for which it may have to
// wait, or, with an empty lock, that it has been answered. The next event of the
// client carries that.
func (r *Recorder) Ask(client, lock string) { r.asks[client] = lock }

// takeAsks is what an event has to say about whether its actor waits.
func (r *Recorder) takeAsks(actor string) *string {
	lock, news := r.asks[actor]
	if !news {
		return nil
	}
	delete(r.asks, actor)
	if a, ok := r.world.Actor(actor); !ok || a.Asks == lock {
		return nil
	}
	return &lock
}
