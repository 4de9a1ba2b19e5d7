package zk_test

import (
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

	real := realserver.ZooKeeper(t, realserver.ZooKeeperCounter("/wrap", nearTheEnd))
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
