package state

import "bytes"

func (t *txn) create(r Request) Response {
	if code := checkFlags(r.Flags); code != OK {
		return Response{Code: code}
	}
	parentPath, _, ok := split(r.Path)
	if !ok {
		return Response{Code: BadArguments}
	}
	acl, code := resolveACL(r.ACL, t.who.identities)
	if code != OK {
		return Response{Code: code}
	}
	parent := t.m.nodes[parentPath]
	if parent == nil {
		return Response{Code: NoNode}
	}
	path := r.Path
	if r.Flags&Sequential != 0 {
		path += parent.nextSequence()
	}
	switch {
	case !validPath(path):
		return Response{Code: BadArguments}
	case t.m.nodes[path] != nil:
		return Response{Code: NodeExists}
	case parent.stat.EphemeralOwner != 0:
		return Response{Code: NoChildrenForEphemerals}
	}
	var owner int64
	if r.Flags&Ephemeral != 0 {
		owner = t.who.id
	}
	n := newNode(bytes.Clone(r.Data), acl, owner, t.zxid, t.now)
	t.link(parentPath, parent, path, n)
	return Response{Path: path, Stat: n.fullStat()}
}

func checkFlags(flags int32) Code {
	switch flags {
	case Persistent, Ephemeral, Sequential, EphemeralSequential:
		return OK
	case Container, PersistentTTL, SequentialTTL:
		return Unimplemented
	}
	return BadArguments
}

// link puts n into the tree below parent.
func (t *txn) link(parentPath string, parent *node, path string, n *node) {
	_, name, _ := split(path)
	creates, pzxid := parent.creates, parent.stat.Pzxid
	t.onUndo(func() {
		parent.creates, parent.stat.Pzxid = creates, pzxid
		t.m.remove(parent, name, path, n)
	})
	t.m.countCreate(parent, t.zxid)
	t.m.insert(parent, name, path, n)
	t.emit(NodeCreated, path)
	t.emit(NodeChildrenChanged, parentPath)
}

func (t *txn) delete(r Request) Response {
	parentPath, name, ok := split(r.Path)
	if !ok || special(r.Path) {
		return Response{Code: BadArguments}
	}
	n := t.m.nodes[r.Path]
	switch {
	case n == nil:
		return Response{Code: NoNode}
	case !matches(r.Version, n.stat.Version):
		return Response{Code: BadVersion}
	case len(n.children) > 0:
		return Response{Code: NotEmpty}
	}
	t.unlink(parentPath, name, r.Path, n)
	return Response{}
}

// unlink takes n out of the tree. It has no children.
func (t *txn) unlink(parentPath, name, path string, n *node) {
	parent := t.m.nodes[parentPath]
	pzxid := parent.stat.Pzxid
	t.onUndo(func() {
		parent.stat.Pzxid = pzxid
		t.m.insert(parent, name, path, n)
	})
	t.m.remove(parent, name, path, n)
	parent.stat.Pzxid = t.zxid
	t.emit(NodeDeleted, path)
	t.emit(NodeChildrenChanged, parentPath)
}

func (t *txn) setData(r Request) Response {
	n := t.m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	if !matches(r.Version, n.stat.Version) {
		return Response{Code: BadVersion}
	}
	data, stat := n.data, n.stat
	t.onUndo(func() { n.data, n.stat = data, stat })
	n.data = bytes.Clone(r.Data)
	n.stat.Version++
	n.stat.Mzxid, n.stat.Mtime = t.zxid, t.now.UnixMilli()
	t.emit(NodeDataChanged, r.Path)
	return Response{Stat: n.fullStat()}
}

func (t *txn) setACL(r Request) Response {
	acl, code := resolveACL(r.ACL, t.who.identities)
	if code != OK {
		return Response{Code: code}
	}
	n := t.m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	if !matches(r.Version, n.stat.Aversion) {
		return Response{Code: BadVersion}
	}
	n.acl = acl
	n.stat.Aversion++
	return Response{Stat: n.fullStat()}
}

func (t *txn) check(r Request) Response {
	n := t.m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	if !matches(r.Version, n.stat.Version) {
		return Response{Code: BadVersion}
	}
	return Response{}
}

func matches(expected, actual int32) bool { return expected == AnyVersion || expected == actual }

// insert and remove change the tree and the owner's list of ephemeral nodes,
// and nothing else.
func (m *Machine) insert(parent *node, name, path string, n *node) {
	m.nodes[path] = n
	parent.children[name] = struct{}{}
	if s := m.sessions[n.stat.EphemeralOwner]; s != nil {
		s.ephemerals[path] = struct{}{}
	}
}

func (m *Machine) remove(parent *node, name, path string, n *node) {
	delete(m.nodes, path)
	delete(parent.children, name)
	if s := m.sessions[n.stat.EphemeralOwner]; s != nil {
		delete(s.ephemerals, path)
	}
}

// countCreate counts a new child of parent, as far as the counter goes.
func (m *Machine) countCreate(parent *node, zxid int64) {
	next := parent.creates + 1
	if next < parent.creates && m.opts.Wrap == WrapSticks {
		return // and the pzxid stays behind too, as in the server
	}
	parent.creates = next
	parent.stat.Pzxid = zxid
}
