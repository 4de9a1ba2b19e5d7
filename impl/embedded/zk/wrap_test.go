package zk_test

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"os"
	"path/filepath"
	"testing"

	client "github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// nearTheEnd is a counter with two sequence numbers left.
const nearTheEnd = 2147483646

// pastTheEnd crosses the end of the sequence numbers below /wrap.
func pastTheEnd(b *box) {
	for range 2 {
		b.create("A", "/a-", client.FlagEphemeralSequential)
		b.create("A", "/b-", client.FlagEphemeralSequential)
		b.create("A", "/c-", client.FlagSequence)
		b.children("A", "")
	}
	b.delete("A", "/c-2147483647", -1)
	b.create("A", "/c-", client.FlagEphemeralSequential)
	b.children("A", "")
}

// The programmer's guide says that the counter goes on at -2147483648. ZooKeeper
// 3.8 stays at 2147483647 instead, and this test is how that is known.
func TestSequenceNumbersStickAtTheEndAsOnTheRealServer(t *testing.T) {
	srv := zk.InMemory(zk.Options{})
	t.Cleanup(func() { _ = srv.Close() })
	got := recordWrap(t, srv)

	real := realserver.ZooKeeper(t, snapshotWithCounter("/wrap", nearTheEnd))
	b := openBox(t, dialTo(real.Addr()), "/wrap")
	defer b.close()
	pastTheEnd(b)
	compare(t, got, b.lines)
}

func TestSignedWrapGoesOnBelowZero(t *testing.T) {
	srv := zk.InMemory(zk.Options{Wrap: state.WrapSigned})
	t.Cleanup(func() { _ = srv.Close() })
	c, _ := connect(t, srv.NewLink(), longTimeout)
	create(t, c, "/wrap", client.FlagPersistent)
	if err := srv.Machine().SetCounter("/wrap", nearTheEnd); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2147483646", "2147483647", "-2147483648", "-2147483647"} {
		if got := create(t, c, "/wrap/", client.FlagSequence); got != "/wrap/"+want {
			t.Errorf("created %s, want /wrap/%s", got, want)
		}
	}
	if err := srv.Machine().SetCounter("/wrap", -1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-000000001", "0000000000"} {
		if got := create(t, c, "/wrap/", client.FlagSequence); got != "/wrap/"+want {
			t.Errorf("created %s, want /wrap/%s", got, want)
		}
	}
}

func recordWrap(t *testing.T, srv *zk.Server) []string {
	b := newBox(t, srv.Dial, "/wrap")
	defer b.close()
	if err := srv.Machine().SetCounter("/wrap", nearTheEnd); err != nil {
		t.Fatal(err)
	}
	pastTheEnd(b)
	return b.lines
}

// snapshotWithCounter lays down the data of a server that has seen created nodes
// come and go below path. Two thousand million creates would take days, so the
// file is written as the server writes it (org.apache.zookeeper.server.persistence.FileSnap).
func snapshotWithCounter(path string, created int32) func(string) error {
	const zxid = 0x10
	return func(dataDir string) error {
		var w snapshot
		w.int32(0x5a4b534e) // "ZKSN"
		w.int32(2)          // version
		w.int64(-1)         // database id
		w.int32(0)          // sessions
		w.int32(1)          // access control lists: one,
		w.int64(1)          // numbered 1,
		w.int32(1)          // with one entry:
		w.int32(31)
		w.string("world")
		w.string("anyone")
		w.node("", zxid, 1)
		w.node(path, zxid, created)
		w.string("/") // the end of the nodes
		w.int64(int64(adler32.Checksum(w.Bytes())))
		w.string("/")

		dir := filepath.Join(dataDir, "version-2")
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "snapshot.10"), w.Bytes(), 0o600)
	}
}

type snapshot struct{ bytes.Buffer }

func (w *snapshot) int32(v int32) { w.Write(binary.BigEndian.AppendUint32(nil, uint32(v))) }
func (w *snapshot) int64(v int64) { w.Write(binary.BigEndian.AppendUint64(nil, uint64(v))) }

func (w *snapshot) string(s string) {
	w.int32(int32(len(s)))
	w.WriteString(s)
}

// node writes a persistent node without data.
func (w *snapshot) node(path string, zxid int64, created int32) {
	w.string(path)
	w.int32(0)    // data
	w.int64(1)    // access control list
	w.int64(zxid) // created
	w.int64(zxid) // modified
	w.int64(0)    // ctime
	w.int64(0)    // mtime
	w.int32(0)    // version
	w.int32(created)
	w.int32(0)    // version of the list
	w.int64(0)    // owner
	w.int64(zxid) // children changed
}
