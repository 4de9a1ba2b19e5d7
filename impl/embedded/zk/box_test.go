package zk_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	client "github.com/go-zookeeper/zk"
)

// box sends requests through the unmodified client, over two sessions, and
// writes down what comes back in a form that is the same on every server: zxids
// count from the start of the case, sessions have names, times are left out.
type box struct {
	t        testing.TB
	root     string
	base     int64
	sessions map[string]*boxSession
	lines    []string
}

type boxSession struct {
	*client.Conn
	mu   sync.Mutex
	wire net.Conn
}

// dialer is how a server is reached.
type dialer = client.Dialer

// longTimeout is a session timeout that no test outlives.
const longTimeout = 30 * time.Second

// newBox makes the root of a case first.
func newBox(t testing.TB, dial dialer, root string) *box {
	c, events, err := client.Connect([]string{"127.0.0.1:1"}, longTimeout,
		client.WithDialer(dial), client.WithLogger(quiet{}), client.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	waitState(t, events, client.StateHasSession)
	create(t, c, root, client.FlagPersistent)
	c.Close()
	return openBox(t, dial, root)
}

// openBox takes a root that exists.
func openBox(t testing.TB, dial dialer, root string) *box {
	b := &box{t: t, root: root, sessions: map[string]*boxSession{}}
	for _, name := range []string{"A", "B"} {
		b.sessions[name] = b.open(dial)
	}
	marker := create(t, b.sessions["A"].Conn, root+"-marker", client.FlagEphemeral)
	_, stat, err := b.sessions["A"].Exists(marker)
	if err != nil {
		t.Fatal(err)
	}
	b.base = stat.Czxid
	return b
}

func (b *box) open(dial dialer) *boxSession {
	s := &boxSession{}
	cuttable := func(network, addr string, d time.Duration) (net.Conn, error) {
		nc, err := dial(network, addr, d)
		s.mu.Lock()
		s.wire = nc
		s.mu.Unlock()
		return nc, err
	}
	conn, events, err := client.Connect([]string{"127.0.0.1:1"}, longTimeout,
		client.WithDialer(cuttable), client.WithLogger(quiet{}), client.WithLogInfo(false))
	if err != nil {
		b.t.Fatal(err)
	}
	s.Conn = conn
	waitState(b.t, events, client.StateHasSession)
	return s
}

func (b *box) close() {
	for _, name := range []string{"A", "B"} {
		b.sessions[name].Close()
	}
}

// cut ends the connection of a session under it.
func (b *box) cut(who string) {
	s := b.sessions[who]
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.wire.Close()
}

func (b *box) path(p string) string { return b.root + p }

func (b *box) log(what string, results ...any) {
	words := []string{strings.ReplaceAll(what, b.root, "") + ":"}
	for _, r := range results {
		words = append(words, b.show(r))
	}
	b.lines = append(b.lines, strings.Join(words, " "))
}

func (b *box) show(r any) string {
	switch r := r.(type) {
	case error:
		return "error " + r.Error()
	case nil:
		return "ok"
	case *client.Stat:
		return b.showStat(r)
	case string:
		return strings.ReplaceAll(r, b.root, "")
	case []string:
		slices.Sort(r)
		return fmt.Sprint(r)
	case client.Event:
		return fmt.Sprintf("%v %s", r.Type, strings.ReplaceAll(r.Path, b.root, ""))
	}
	return fmt.Sprintf("%v", r)
}

func (b *box) showStat(s *client.Stat) string {
	owner := "nobody"
	for name, session := range b.sessions {
		if s.EphemeralOwner == session.SessionID() {
			owner = name
		}
	}
	return fmt.Sprintf("[c%s m%s p%s v%d cv%d av%d owner %s len %d kids %d]",
		b.showZxid(s.Czxid), b.showZxid(s.Mzxid), b.showZxid(s.Pzxid), s.Version, s.Cversion, s.Aversion,
		owner, s.DataLength, s.NumChildren)
}

// showZxid counts from the start of the case. What was before is all one.
func (b *box) showZxid(zxid int64) string {
	if zxid <= b.base {
		return "0"
	}
	return fmt.Sprintf("+%d", zxid-b.base)
}

func (b *box) create(who, path string, flags int32) string {
	got, err := b.sessions[who].Create(b.path(path), []byte("data"), flags, client.WorldACL(client.PermAll))
	b.log(fmt.Sprintf("%s create %s flags %d", who, path, flags), got, err)
	return strings.TrimPrefix(got, b.root)
}

func (b *box) delete(who, path string, version int32) {
	b.log(fmt.Sprintf("%s delete %s v%d", who, path, version), b.sessions[who].Delete(b.path(path), version))
}

func (b *box) set(who, path, data string, version int32) {
	stat, err := b.sessions[who].Set(b.path(path), []byte(data), version)
	b.logStat(fmt.Sprintf("%s set %s v%d", who, path, version), stat, err)
}

func (b *box) get(who, path string) {
	data, stat, err := b.sessions[who].Get(b.path(path))
	b.logStat(fmt.Sprintf("%s get %s %q", who, path, data), stat, err)
}

func (b *box) exists(who, path string) {
	ok, stat, err := b.sessions[who].Exists(b.path(path))
	if !ok {
		b.log(fmt.Sprintf("%s exists %s", who, path), ok, err)
		return
	}
	b.logStat(fmt.Sprintf("%s exists %s", who, path), stat, err)
}

func (b *box) children(who, path string) {
	names, stat, err := b.sessions[who].Children(b.path(path))
	if err != nil {
		b.log(fmt.Sprintf("%s children %s", who, path), err)
		return
	}
	b.log(fmt.Sprintf("%s children %s", who, path), names, stat)
}

func (b *box) logStat(what string, stat *client.Stat, err error) {
	if err != nil {
		b.log(what, err)
		return
	}
	b.log(what, stat)
}

func (b *box) multi(who string, ops ...any) {
	results, err := b.sessions[who].Multi(ops...)
	b.log(who+" multi", err)
	for _, r := range results {
		switch {
		case r.Error != nil:
			b.log("  part", r.Error)
		case r.Stat != nil:
			b.log("  part", r.Stat)
		default:
			b.log("  part", r.String)
		}
	}
}

// watched is a watch whose event has not been looked at.
type watched struct {
	name string
	ch   <-chan client.Event
}

func (b *box) watch(who, kind, path string) watched {
	var w watched
	var err error
	s := b.sessions[who]
	switch kind {
	case "exists":
		_, _, w.ch, err = s.ExistsW(b.path(path))
	case "data":
		_, _, w.ch, err = s.GetW(b.path(path))
	case "children":
		_, _, w.ch, err = s.ChildrenW(b.path(path))
	}
	w.name = fmt.Sprintf("%s %s watch on %s", who, kind, path)
	b.log(w.name, err)
	return w
}

// fired waits for the event of a watch that must have one.
func (b *box) fired(w watched) {
	select {
	case e := <-w.ch:
		b.log(w.name+" fired", e)
	case <-time.After(10 * time.Second):
		b.log(w.name+" did not fire", errors.New("timeout"))
	}
}

// quiet notes whether a watch has fired. An event for the same session would
// have come before the answer to the sync.
func (b *box) quiet(who string, w watched) {
	if _, err := b.sessions[who].Sync(b.root); err != nil {
		b.log("sync", err)
	}
	select {
	case e := <-w.ch:
		b.log(w.name+" fired", e)
	default:
		b.log(w.name+" has not fired", nil)
	}
}
