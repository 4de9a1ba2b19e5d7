package state

import "slices"

// watchKind separates the two tables of watches that a server keeps. Exists and
// getData watch a node, getChildren watches its children.
type watchKind int

const (
	dataWatch watchKind = iota
	childWatch
)

type watchKey struct {
	kind watchKind
	path string
}

// trigger is a change of the tree before it is known who watches for it.
type trigger struct {
	typ  EventType
	path string
}

// watch registers a watch of s, once however often it is asked for. Watchers
// are kept in the order of their registration, so that a run can be repeated.
func (m *Machine) watch(s *session, kind watchKind, path string) {
	k := watchKey{kind, path}
	if _, ok := s.watching[k]; ok {
		return
	}
	s.watching[k] = struct{}{}
	m.watchers[k] = append(m.watchers[k], s)
}

// unwatchAll forgets the watches of a session that has lost its connection. The
// client sets them anew over the next one.
func (m *Machine) unwatchAll(s *session) {
	for k := range s.watching {
		rest := slices.DeleteFunc(m.watchers[k], func(w *session) bool { return w == s })
		if len(rest) == 0 {
			delete(m.watchers, k)
		} else {
			m.watchers[k] = rest
		}
	}
	clear(s.watching)
}

// fire sends the events of a committed transaction. A watch fires once.
func (m *Machine) fire(triggers []trigger) {
	for _, t := range triggers {
		switch t.typ {
		case NodeDeleted:
			watchers := m.take(watchKey{dataWatch, t.path})
			for _, s := range m.take(watchKey{childWatch, t.path}) {
				if !slices.Contains(watchers, s) {
					watchers = append(watchers, s)
				}
			}
			notify(watchers, t)
		case NodeChildrenChanged:
			notify(m.take(watchKey{childWatch, t.path}), t)
		default:
			notify(m.take(watchKey{dataWatch, t.path}), t)
		}
	}
}

func (m *Machine) take(k watchKey) []*session {
	watchers := m.watchers[k]
	delete(m.watchers, k)
	for _, s := range watchers {
		delete(s.watching, k)
	}
	return watchers
}

func notify(watchers []*session, t trigger) {
	for _, s := range watchers {
		s.link.Event(Event{Type: t.typ, Path: t.path})
	}
}

// setWatches takes over the watches of a client that has reconnected. What has
// happened since the last zxid that it saw is told at once, the rest is watched
// for.
func (m *Machine) setWatches(s *session, w *OldWatches) Response {
	if w == nil {
		return Response{Code: BadArguments}
	}
	for _, path := range w.Data {
		m.resume(s, dataWatch, path, NodeDataChanged, func(n *node) bool { return n.stat.Mzxid > w.Since })
	}
	for _, path := range w.Exist {
		if m.nodes[path] != nil {
			s.link.Event(Event{Type: NodeCreated, Path: path})
		} else {
			m.watch(s, dataWatch, path)
		}
	}
	for _, path := range w.Child {
		m.resume(s, childWatch, path, NodeChildrenChanged, func(n *node) bool { return n.stat.Pzxid > w.Since })
	}
	return Response{}
}

func (m *Machine) resume(s *session, kind watchKind, path string, changed EventType, missed func(*node) bool) {
	switch n := m.nodes[path]; {
	case n == nil:
		s.link.Event(Event{Type: NodeDeleted, Path: path})
	case missed(n):
		s.link.Event(Event{Type: changed, Path: path})
	default:
		m.watch(s, kind, path)
	}
}
