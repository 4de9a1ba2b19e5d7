package engine

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/hashicorp/consul/api"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// The locks themselves are tested in package consullock.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEngineForgetsWhatHasEnded(t *testing.T) {
	ctx := context.Background()
	store := consul.NewStore(consul.Options{})
	defer store.Close()
	client, err := api.NewClient(&api.Config{HttpClient: &http.Client{Transport: consul.Transport(store)}})
	if err != nil {
		t.Fatal(err)
	}
	en, err := New(API{client}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	acquire := func() lock.Lease {
		t.Helper()
		lease, err := en.Acquire(ctx, "k", OneKey("k"), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	if err := acquire().Release(ctx); err != nil {
		t.Fatal(err)
	}
	if len(en.leases) != 0 || len(en.calls) != 0 {
		t.Errorf("%d leases and %d calls are kept after the release", len(en.leases), len(en.calls))
	}

	lost := acquire()
	if err := store.DestroySession(en.shared.id); err != nil {
		t.Fatal(err)
	}
	if err := lost.(lock.Renewer).Renew(ctx); !errors.Is(err, lock.ErrNotHeld) {
		t.Fatalf("renew: %v, want ErrNotHeld", err)
	}
	if len(en.leases) != 0 || en.shared != nil {
		t.Errorf("%d leases and the session %v are kept after the loss", len(en.leases), en.shared)
	}
	if err := en.Close(); err != nil {
		t.Error(err)
	}
	if len(en.dead) != 0 {
		t.Errorf("%d dead sessions are kept after the close", len(en.dead))
	}
}
