package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// fake is a zkconn.Conn on the state of a server, without a client or a network
// between them. A hook decides what becomes of each request.
type fake struct {
	m *state.Machine

	mu       sync.Mutex
	session  zkconn.Session
	link     *fakeLink
	watching map[string][]func()
	ended    []func(int64)
	// hook is called before every request with its kind. It returns an error
	// instead of the answer, and whether the request is carried out all the
	// same.
	hook func(op state.Op) (carriedOut bool, err error)
}

type fakeLink struct{ f *fake }

// Event implements state.Link.
func (l *fakeLink) Event(e state.Event) {
	l.f.mu.Lock()
	notify := l.f.watching[e.Path]
	delete(l.f.watching, e.Path)
	l.f.mu.Unlock()
	for _, f := range notify {
		f()
	}
}

// HangUp implements state.Link.
func (l *fakeLink) HangUp() {}

func newFake(t *testing.T, m *state.Machine) *fake {
	t.Helper()
	f := &fake{m: m, watching: make(map[string][]func())}
	f.newSession(t)
	return f
}

// newSession goes on with a new session, and leaves the old one to expire.
func (f *fake) newSession(t *testing.T) {
	t.Helper()
	link := &fakeLink{f}
	r, err := f.m.Connect(state.ConnectRequest{Timeout: 10 * time.Second}, link)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	old := f.session.ID
	f.session, f.link = zkconn.Session{ID: r.Session, Timeout: r.Timeout}, link
	ended := f.ended
	f.mu.Unlock()
	if old != 0 {
		for _, g := range ended {
			g(old)
		}
	}
}

// keepAlive pings the server, whatever becomes of requests, until it is stopped.
func (f *fake) keepAlive() (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Second):
				f.mu.Lock()
				id, link := f.session.ID, f.link
				f.mu.Unlock()
				f.m.Do(id, link, state.Request{Op: state.OpPing}, func(state.Response) {})
			}
		}
	}()
	return func() { close(done) }
}

// Session implements zkconn.Conn.
func (f *fake) Session() zkconn.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.session
}

// OnSessionEnd implements zkconn.Conn.
func (f *fake) OnSessionEnd(g func(int64)) func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = append(f.ended, g)
	return func() {}
}

var answers = map[state.Code]error{
	state.NoNode: zkconn.ErrNoNode, state.NodeExists: zkconn.ErrNodeExists, state.NotEmpty: zkconn.ErrNotEmpty,
}

func (f *fake) do(ctx context.Context, r state.Request) (resp state.Response, err error) {
	if err := ctx.Err(); err != nil {
		return resp, err
	}
	carriedOut, lost := true, error(nil)
	f.mu.Lock()
	hook := f.hook
	f.mu.Unlock()
	if hook != nil {
		carriedOut, lost = hook(r.Op)
	}
	if carriedOut {
		f.mu.Lock()
		id, link := f.session.ID, f.link
		f.mu.Unlock()
		f.m.Do(id, link, r, func(got state.Response) { resp = got })
	}
	switch {
	case lost != nil:
		return state.Response{}, lost
	case resp.Code == state.OK:
		return resp, nil
	case answers[resp.Code] != nil:
		return resp, answers[resp.Code]
	}
	return resp, fmt.Errorf("%w: %w", zkconn.ErrRefused, resp.Code)
}

// Create implements zkconn.Conn.
func (f *fake) Create(ctx context.Context, path string, mode zkconn.Mode) (zkconn.Node, error) {
	r := state.Request{Op: state.OpCreate, Path: path, ACL: state.WorldACL()}
	switch mode {
	case zkconn.EphemeralSequential:
		r.Flags = state.EphemeralSequential
	case zkconn.Ephemeral:
		r.Flags = state.Ephemeral
	}
	resp, err := f.do(ctx, r)
	return zkconn.Node{Path: resp.Path, Czxid: resp.Zxid}, err
}

// Delete implements zkconn.Conn.
func (f *fake) Delete(ctx context.Context, path string) error {
	_, err := f.do(ctx, state.Request{Op: state.OpDelete, Path: path, Version: state.AnyVersion})
	return err
}

// Get implements zkconn.Conn.
func (f *fake) Get(ctx context.Context, path string) (zkconn.Node, error) {
	resp, err := f.do(ctx, state.Request{Op: state.OpGetData, Path: path})
	return nodeOf(path, resp), err
}

func nodeOf(path string, r state.Response) zkconn.Node {
	return zkconn.Node{Path: path, Czxid: r.Stat.Czxid, Owner: r.Stat.EphemeralOwner, Data: r.Data}
}

// Set implements zkconn.Conn.
func (f *fake) Set(ctx context.Context, path string, data []byte) error {
	_, err := f.do(ctx, state.Request{Op: state.OpSetData, Path: path, Data: data, Version: state.AnyVersion})
	return err
}

// Children implements zkconn.Conn.
func (f *fake) Children(ctx context.Context, path string) ([]string, error) {
	resp, err := f.do(ctx, state.Request{Op: state.OpGetChildren2, Path: path})
	return resp.Children, err
}

// Watch implements zkconn.Conn.
func (f *fake) Watch(ctx context.Context, path string, notify func()) (zkconn.Node, func(), error) {
	f.join(path, notify)
	resp, err := f.do(ctx, state.Request{Op: state.OpGetData, Path: path, Watch: true})
	return nodeOf(path, resp), func() {}, err
}

// WatchChildren implements zkconn.Conn.
func (f *fake) WatchChildren(ctx context.Context, path string, notify func()) ([]string, func(), error) {
	f.join(path, notify)
	resp, err := f.do(ctx, state.Request{Op: state.OpGetChildren2, Path: path, Watch: true})
	return resp.Children, func() {}, err
}

func (f *fake) join(path string, notify func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watching[path] = append(f.watching[path], notify)
}

// Sync implements zkconn.Conn.
func (f *fake) Sync(ctx context.Context, path string) error {
	_, err := f.do(ctx, state.Request{Op: state.OpSync, Path: path})
	return err
}
