package state

import "time"

// txn carries out the changes of one request, all of them or none: what an
// operation has changed can be undone until the watches are fired.
type txn struct {
	m    *Machine
	who  *session
	zxid int64
	now  time.Time

	undo   []func()
	events []trigger
}

// write runs one request that may change something. Like the server it uses up
// a zxid even when the request is refused.
func (m *Machine) write(who *session, r Request) Response {
	t := &txn{m: m, who: who, zxid: m.nextZxid(), now: m.clk.Now()}
	resp := t.apply(r)
	resp.Op, resp.Zxid = r.Op, t.zxid
	if resp.Code != OK {
		t.rollback()
	}
	m.fire(t.events)
	return resp
}

// apply dispatches one operation. Nothing of it is visible to watchers yet.
func (t *txn) apply(r Request) Response {
	switch r.Op {
	case OpCreate, OpCreate2:
		return t.create(r)
	case OpDelete:
		return t.delete(r)
	case OpSetData:
		return t.setData(r)
	case OpSetACL:
		return t.setACL(r)
	case OpCheck:
		return t.check(r)
	case OpMulti:
		return t.multi(r.Multi)
	}
	return Response{Code: Unimplemented}
}

// onUndo remembers how to take back the change that is about to be made.
func (t *txn) onUndo(f func()) { t.undo = append(t.undo, f) }

func (t *txn) emit(typ EventType, path string) {
	t.events = append(t.events, trigger{typ: typ, path: path})
}

func (t *txn) rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.undo, t.events = nil, nil
}

// multi runs the requests in order as one transaction. When one fails, the
// results say OK for those before it, its own code for the one, and
// RuntimeInconsistency for those after it, none of them carried out.
func (t *txn) multi(requests []Request) Response {
	results := make([]Response, 0, len(requests))
	for _, r := range requests {
		resp := t.applyPart(r)
		resp.Op = r.Op
		results = append(results, resp)
		if resp.Code != OK {
			t.rollback()
			return Response{Results: failedResults(results, len(requests))}
		}
	}
	return Response{Results: results}
}

func (t *txn) applyPart(r Request) Response {
	if r.Op == OpMulti || r.Op == OpSetACL {
		return Response{Code: Unimplemented}
	}
	return t.apply(r)
}

func failedResults(done []Response, n int) []Response {
	out := make([]Response, n)
	for i := range out {
		out[i] = Response{Op: OpError, Code: RuntimeInconsistency}
	}
	for i, r := range done {
		out[i].Code = r.Code
	}
	return out
}
