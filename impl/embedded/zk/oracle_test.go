package zk_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	client "github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
)

// calls are sent to the embedded and to the real server, and the answers of the
// two compared line by line: the real one is the oracle.
var calls = map[string]func(b *box){
	"create": func(b *box) {
		b.create("A", "/p", client.FlagPersistent)
		b.create("A", "/p", client.FlagPersistent)
		b.create("A", "/p/q", client.FlagPersistent)
		b.create("A", "/no/parent", client.FlagPersistent)
		b.create("A", "/e", client.FlagEphemeral)
		b.create("A", "/e/child", client.FlagPersistent)
		b.create("B", "/e", client.FlagEphemeral)
		b.exists("A", "/p")
		b.exists("B", "/e")
		b.exists("B", "/none")
		b.children("A", "")
		b.get("A", "/p")
		b.get("A", "/none")
	},
	"sequence": func(b *box) {
		b.create("A", "/s-", client.FlagSequence)
		b.create("A", "/t-", client.FlagEphemeralSequential)
		b.delete("A", "/s-0000000000", -1)
		b.create("B", "/s-", client.FlagSequence)
		b.create("B", "/", client.FlagSequence)
		b.create("A", "/plain", client.FlagPersistent)
		b.create("A", "/s-", client.FlagSequence)
		b.create("A", "/none/s-", client.FlagSequence)
		b.create("A", "/s-", client.FlagSequence)
		b.children("A", "")
	},
	"delete": func(b *box) {
		b.create("A", "/p", client.FlagPersistent)
		b.create("A", "/p/q", client.FlagPersistent)
		b.set("A", "/p", "x", 0)
		b.delete("A", "/p", 0)
		b.delete("A", "/p", 1)
		b.delete("A", "/p/q", -1)
		b.delete("A", "/p/q", -1)
		b.exists("A", "/p")
		b.delete("B", "/p", 1)
		b.delete("B", "/no/parent", -1)
		b.children("A", "")
	},
	"set": func(b *box) {
		b.create("A", "/p", client.FlagPersistent)
		b.set("A", "/p", "one", -1)
		b.set("B", "/p", "two", 1)
		b.set("A", "/p", "three", 1)
		b.set("A", "/none", "x", -1)
		b.set("A", "/p", "", -1)
		b.get("B", "/p")
		b.exists("A", "")
	},
	"ephemeral nodes go with their session": func(b *box) {
		b.create("A", "/e1", client.FlagEphemeral)
		b.create("A", "/e2", client.FlagEphemeral)
		w := b.watch("B", "exists", "/e1")
		b.sessions["A"].Close()
		b.fired(w)
		b.children("B", "")
	},
	"data watches": func(b *box) {
		missing := b.watch("A", "exists", "/p")
		b.log("data watch on a missing node", func() error { _, _, _, err := b.sessions["A"].GetW(b.path("/p")); return err }())
		b.create("B", "/p", client.FlagPersistent)
		b.fired(missing)
		changed, both := b.watch("A", "data", "/p"), b.watch("A", "exists", "/p")
		b.set("B", "/p", "x", -1)
		b.fired(changed)
		b.fired(both)
		once := b.watch("A", "exists", "/p")
		b.set("B", "/p", "y", -1)
		b.set("B", "/p", "z", -1)
		b.fired(once)
		deleted, kids := b.watch("A", "exists", "/p"), b.watch("A", "children", "/p")
		b.delete("B", "/p", -1)
		b.fired(deleted)
		b.fired(kids)
	},
	"child watches": func(b *box) {
		w := b.watch("A", "children", "")
		b.create("B", "/p", client.FlagPersistent)
		b.fired(w)
		w = b.watch("A", "children", "")
		b.set("B", "/p", "x", -1)
		b.quiet("A", w)
		b.create("B", "/p/q", client.FlagPersistent)
		b.quiet("A", w)
		b.delete("B", "/p/q", -1)
		b.delete("B", "/p", -1)
		b.fired(w)
	},
	"watches of one's own changes": func(b *box) {
		w := b.watch("A", "exists", "/p")
		b.create("A", "/p", client.FlagEphemeral)
		b.fired(w)
	},
	"a failed change fires nothing": func(b *box) {
		b.create("A", "/p", client.FlagPersistent)
		data, kids := b.watch("A", "data", "/p"), b.watch("A", "children", "")
		b.set("B", "/p", "x", 7)
		b.create("B", "/p", client.FlagPersistent)
		b.multi("B",
			&client.DeleteRequest{Path: b.path("/p"), Version: -1},
			&client.DeleteRequest{Path: b.path("/none"), Version: -1})
		b.quiet("A", data)
		b.quiet("A", kids)
	},
	"multi": func(b *box) {
		acl := client.WorldACL(client.PermAll)
		b.multi("A",
			&client.CreateRequest{Path: b.path("/p"), Acl: acl},
			&client.CreateRequest{Path: b.path("/p/s-"), Acl: acl, Flags: client.FlagEphemeralSequential},
			&client.CreateRequest{Path: b.path("/p/s-"), Acl: acl, Flags: client.FlagEphemeralSequential},
			&client.SetDataRequest{Path: b.path("/p"), Data: []byte("x"), Version: 0},
			&client.CheckVersionRequest{Path: b.path("/p"), Version: 1},
			&client.DeleteRequest{Path: b.path("/p/s-0000000000"), Version: -1})
		b.children("A", "/p")
		b.exists("A", "/p/s-0000000001")
		b.multi("A",
			&client.SetDataRequest{Path: b.path("/p"), Data: []byte("y"), Version: -1},
			&client.CreateRequest{Path: b.path("/q"), Acl: acl},
			&client.CheckVersionRequest{Path: b.path("/p"), Version: 9},
			&client.DeleteRequest{Path: b.path("/p"), Version: -1})
		b.get("A", "/p")
		b.exists("A", "/q")
		b.multi("A", &client.DeleteRequest{Path: b.path("/p"), Version: -1})
		b.multi("A", &client.CheckVersionRequest{Path: b.path("/none"), Version: -1})
		b.create("A", "/after", client.FlagPersistent)
		b.exists("A", "/after")
		b.children("A", "")
	},
	"multi creates and writes the parent": func(b *box) {
		b.multi("A",
			&client.CreateRequest{Path: b.path("/l-"), Acl: client.WorldACL(client.PermAll), Flags: client.FlagEphemeralSequential},
			&client.SetDataRequest{Path: b.root, Version: -1})
		b.exists("B", "/l-0000000000")
	},
	"acl": func(b *box) {
		a := b.sessions["A"]
		_, err := a.Create(b.path("/none"), nil, 0, []client.ACL{})
		b.log("create without ACL", err)
		_, err = a.Create(b.path("/none"), nil, 0, client.AuthACL(client.PermAll))
		b.log("create with auth ACL, not authenticated", err)
		_, err = a.Create(b.path("/none"), nil, 0, []client.ACL{{Perms: 31, Scheme: "nonsense", ID: "x"}})
		b.log("create with an unknown scheme", err)
		b.log("auth", a.AddAuth("digest", []byte("user:secret")))
		_, err = a.Create(b.path("/p"), nil, 0, client.AuthACL(client.PermAll))
		b.log("create with auth ACL", err)
		acl, stat, err := a.GetACL(b.path("/p"))
		b.log(fmt.Sprint("get ACL ", acl), stat, err)
		stat, err = a.SetACL(b.path("/p"), client.DigestACL(client.PermAll, "user", "secret"), 0)
		b.logStat("set ACL", stat, err)
		stat, err = a.SetACL(b.path("/p"), client.WorldACL(client.PermAll), 0)
		b.logStat("set ACL of an old version", stat, err)
		_, _, err = a.GetACL(b.path("/none"))
		b.log("get ACL of a missing node", err)
	},
	"refused kinds": func(b *box) {
		a := b.sessions["A"]
		_, err := a.CreateTTL(b.path("/ttl"), nil, client.FlagTTL, client.WorldACL(31), time.Second)
		b.log("create TTL", err)
	},
	"protected create and the client's lock": func(b *box) {
		path, err := b.sessions["A"].CreateProtectedEphemeralSequential(b.path("/lock-"), nil, client.WorldACL(31))
		b.log("protected create "+path[len(path)-16:], err)
		l := client.NewLock(b.sessions["B"].Conn, b.path("/lock"), client.WorldACL(31))
		b.log("lock", l.Lock())
		b.log("unlock", l.Unlock())
		b.log("unlock again", l.Unlock())
	},
	"watches move to the next connection": func(b *box) {
		b.create("A", "/p", client.FlagPersistent)
		b.create("A", "/gone", client.FlagPersistent)
		changed, stays := b.watch("A", "data", "/p"), b.watch("A", "exists", "/q")
		gone, kids := b.watch("A", "exists", "/gone"), b.watch("A", "children", "")
		b.cut("A")
		b.set("B", "/p", "x", -1)
		b.delete("B", "/gone", -1)
		b.fired(changed)
		b.fired(gone)
		b.fired(kids)
		b.create("B", "/q", client.FlagPersistent)
		b.fired(stays)
	},
	"the root and the server's own nodes": func(b *box) {
		names, _, err := b.sessions["A"].Children("/zookeeper")
		b.log("children of /zookeeper", names, err)
		b.log("delete /zookeeper", b.sessions["A"].Delete("/zookeeper", -1))
		b.log("delete /", b.sessions["A"].Delete("/", -1))
		_, err = b.sessions["A"].Create("/", nil, 0, client.WorldACL(31))
		b.log("create /", err)
	},
	"characters": func(b *box) {
		b.create("A", "/ü €", client.FlagPersistent)
		b.create("A", "/😀", client.FlagPersistent)
		b.create("A", "/a%2Fb", client.FlagPersistent)
		b.create("A", "/..a", client.FlagPersistent)
		b.children("A", "")
	},
}

func TestEmbeddedAnswersAsTheRealServer(t *testing.T) {
	oracle := realServer(t)
	srv, err := zk.Listen(zk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	for name, run := range calls {
		t.Run(name, func(t *testing.T) {
			want := record(t, dialTo(oracle), name, run)
			got := record(t, dialTo(srv.Addr()), name, run)
			compare(t, got, want)
		})
	}
}

// TestCallsOverPipeAndPortAgree runs the same calls where there is no real
// server: over a loopback port and over a pipe in virtual time.
func TestCallsOverPipeAndPortAgree(t *testing.T) {
	srv, err := zk.Listen(zk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	for name, run := range calls {
		t.Run(name, func(t *testing.T) {
			want := record(t, dialTo(srv.Addr()), name, run)
			inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
				compare(t, record(t, srv.Dial, name, run), want)
			})
		})
	}
}

func record(t testing.TB, dial dialer, name string, run func(*box)) []string {
	b := newBox(t, dial, "/"+strings.NewReplacer(" ", "-", "'", "").Replace(name))
	defer b.close()
	run(b)
	return b.lines
}

func dialTo(addr string) dialer {
	return func(network, _ string, timeout time.Duration) (net.Conn, error) {
		return net.DialTimeout(network, addr, timeout)
	}
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("call %d:\n embedded: %s\n     real: %s", i+1, g, w)
		}
	}
}
