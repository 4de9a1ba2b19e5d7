package zkconn

import (
	"sync"

	"github.com/go-zookeeper/zk"
)

// watchKind is what a watch looks at: a node, or the names below it.
type watchKind int

const (
	dataWatch watchKind = iota
	childWatch
)

type watchKey struct {
	kind watchKind
	path string
}

// watches hands on the events of the client to whoever waits for them. The
// client has a channel for each watch besides, which nobody reads.
type watches struct {
	mu   sync.Mutex
	keys map[watchKey]*watched
}

// watched is a node of interest until its next event.
type watched struct {
	// set means that the server has a watch that has not fired. Another one
	// would do no good, and the client would keep a channel for it until the
	// node goes, however long ago its waiter has left.
	set     bool
	fired   bool
	waiters map[*func()]struct{}
}

func newWatches() *watches { return &watches{keys: make(map[watchKey]*watched)} }

// join adds a waiter before the request is made, so that no event after it is
// missed. It reports whether the server has a watch already.
func (w *watches) join(k watchKey, notify func()) (entry *watched, set bool, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry = w.keys[k]
	if entry == nil {
		entry = &watched{waiters: make(map[*func()]struct{})}
		w.keys[k] = entry
	}
	entry.waiters[&notify] = struct{}{}
	return entry, entry.set, func() { w.leave(k, entry, &notify) }
}

func (w *watches) leave(k watchKey, entry *watched, waiter *func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(entry.waiters, waiter)
	if w.keys[k] == entry && !entry.set && len(entry.waiters) == 0 {
		delete(w.keys, k)
	}
}

// confirm notes that the server has a watch. Its waiter may have left by now.
// When an event has come since it joined, nothing is noted, for it may have been
// the one of this watch.
func (w *watches) confirm(k watchKey, entry *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if entry.fired {
		return
	}
	if w.keys[k] == nil {
		w.keys[k] = entry
	}
	w.keys[k].set = true
}

// any reports whether the server has a watch that has not fired.
func (w *watches) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, entry := range w.keys {
		if entry.set {
			return true
		}
	}
	return false
}

// event is called by the client for every event, in order with the answers.
func (w *watches) event(e zk.Event) {
	switch e.Type {
	case zk.EventNodeDataChanged:
		w.fire(watchKey{dataWatch, e.Path})
	case zk.EventNodeChildrenChanged:
		w.fire(watchKey{childWatch, e.Path})
	case zk.EventNodeDeleted, zk.EventNotWatching:
		w.fire(watchKey{dataWatch, e.Path})
		w.fire(watchKey{childWatch, e.Path})
	}
}

func (w *watches) fire(k watchKey) {
	w.mu.Lock()
	entry := w.keys[k]
	delete(w.keys, k)
	var waiters []*func()
	if entry != nil {
		entry.fired = true
		for f := range entry.waiters {
			waiters = append(waiters, f)
		}
	}
	w.mu.Unlock()
	for _, f := range waiters {
		(*f)()
	}
}
