package zk_test

import (
	"testing"
	"testing/synctest"
	"time"

	client "github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
)

// inBubble runs a test in virtual time with a server that has no port.
func inBubble(t *testing.T, opts zk.Options, f func(t *testing.T, srv *zk.Server)) {
	synctest.Test(t, func(t *testing.T) {
		srv := zk.InMemory(opts)
		t.Cleanup(func() { _ = srv.Close() })
		f(t, srv)
	})
}

func TestTimeoutIsNegotiatedWithinTheBounds(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		time.Second:      4 * time.Second,
		10 * time.Second: 10 * time.Second,
		time.Minute:      40 * time.Second,
	} {
		t.Run(asked.String(), func(t *testing.T) {
			inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
				connect(t, srv.NewLink(), asked)
				if got := srv.Machine().Sessions()[0].Timeout; got != want {
					t.Errorf("asked for %v, got %v, want %v", asked, got, want)
				}
			})
		})
	}
}

func TestEphemeralNodeSurvivesADisconnectAndGoesWithTheSession(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		link := srv.NewLink()
		c, events := connect(t, link, 10*time.Second)
		other, _ := connect(t, srv.NewLink(), 10*time.Second)
		create(t, c, "/e", client.FlagEphemeral)

		link.Cut()
		waitState(t, events, client.StateHasSession)
		if ok, _, err := other.Exists("/e"); !ok || err != nil {
			t.Fatalf("after a reconnect: exists %v, %v; want it still there", ok, err)
		}
		c.Close()
		if ok, _, err := other.Exists("/e"); ok || err != nil {
			t.Fatalf("after a clean close: exists %v, %v; want it gone at once", ok, err)
		}
	})
}

func TestSilentSessionExpiresAtTheTickAfterItsTimeout(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		link := srv.NewLink()
		c, events := connect(t, link, 10*time.Second)
		other, _ := connect(t, srv.NewLink(), 40*time.Second)
		create(t, c, "/e", client.FlagEphemeral)
		silent := time.Now()
		id := c.SessionID()
		link.Partition()
		_, _, gone, err := other.ExistsW("/e")
		if err != nil {
			t.Fatal(err)
		}
		if e := <-gone; e.Type != client.EventNodeDeleted {
			t.Fatalf("event %v, want the node deleted", e.Type)
		}
		if after := time.Since(silent); after < 10*time.Second || after > 12*time.Second {
			t.Errorf("expired after %v, want one timeout of 10s and up to one tick of 2s", after)
		}
		link.Heal()
		waitState(t, events, client.StateExpired)
		waitState(t, events, client.StateHasSession)
		if c.SessionID() == id {
			t.Error("the expired session was taken up again")
		}
	})
}

func TestPingsKeepASessionAlive(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		c, _ := connect(t, srv.NewLink(), 4*time.Second)
		id := c.SessionID()
		time.Sleep(time.Hour)
		if got := srv.Machine().Sessions(); len(got) != 1 || got[0].ID != id {
			t.Errorf("sessions after an idle hour: %+v, want still the one", got)
		}
	})
}

func TestRestartKeepsNodesAndSessions(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		c, events := connect(t, srv.NewLink(), 10*time.Second)
		create(t, c, "/e", client.FlagEphemeral)
		id := c.SessionID()
		srv.Stop()
		time.Sleep(time.Minute) // a server that does not run expires nobody
		if err := srv.Restart(); err != nil {
			t.Fatal(err)
		}
		waitState(t, events, client.StateHasSession)
		ok, stat, err := c.Exists("/e")
		if !ok || err != nil || stat.EphemeralOwner != id {
			t.Errorf("exists %v, owner %v, %v; want the node of the same session", ok, stat, err)
		}
	})
}
