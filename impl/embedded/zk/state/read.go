package state

import (
	"bytes"
	"slices"
)

// read runs one request that changes nothing in the tree.
func (m *Machine) read(who *session, r Request) Response {
	resp := m.look(who, r)
	resp.Op = r.Op
	if r.Op != OpSetAuth { // which the server answers before it knows of any transaction
		resp.Zxid = m.zxid
	}
	return resp
}

func (m *Machine) look(who *session, r Request) Response {
	switch r.Op {
	case OpExists:
		return m.exists(who, r)
	case OpGetData:
		return m.getData(who, r)
	case OpGetChildren, OpGetChildren2:
		return m.getChildren(who, r)
	case OpGetACL:
		return m.getACL(r)
	case OpSync:
		return Response{Path: r.Path}
	case OpPing:
		return Response{}
	case OpSetAuth:
		return setAuth(who, r.Auth)
	case OpSetWatches:
		return m.setWatches(who, r.Watches)
	}
	return Response{Code: Unimplemented}
}

// exists leaves its watch even where there is no node: it fires when the node
// is created.
func (m *Machine) exists(who *session, r Request) Response {
	if r.Watch {
		m.watch(who, dataWatch, r.Path)
	}
	n := m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	return Response{Stat: n.fullStat()}
}

// getData leaves no watch where there is no node.
func (m *Machine) getData(who *session, r Request) Response {
	n := m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	if r.Watch {
		m.watch(who, dataWatch, r.Path)
	}
	return Response{Data: bytes.Clone(n.data), Stat: n.fullStat()}
}

func (m *Machine) getChildren(who *session, r Request) Response {
	n := m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	if r.Watch {
		m.watch(who, childWatch, r.Path)
	}
	return Response{Children: n.childNames(), Stat: n.fullStat()}
}

func (m *Machine) getACL(r Request) Response {
	n := m.nodes[r.Path]
	if n == nil {
		return Response{Code: NoNode}
	}
	return Response{ACL: slices.Clone(n.acl), Stat: n.fullStat()}
}

func setAuth(who *session, a Auth) Response {
	if a.Scheme != "digest" {
		return Response{Code: AuthFailed}
	}
	id, ok := digestID(a.Data)
	if !ok {
		return Response{Code: AuthFailed}
	}
	if !slices.Contains(who.identities, id) {
		who.identities = append(who.identities, id)
	}
	return Response{}
}
