package consul

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Started for the real server, and never ended.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/hashicorp/consul/sdk/freeport.checkFreedPorts"))
}

// newStore makes a store that the test closes, without jitter.
func newStore(t *testing.T, opts Options) *Store {
	t.Helper()
	if opts.Jitter == nil {
		opts.Jitter = func(time.Duration) time.Duration { return 0 }
	}
	s := NewStore(opts)
	t.Cleanup(s.Close)
	return s
}

// clientOf makes an unmodified client that talks to s without a network.
func clientOf(t *testing.T, s *Store) *api.Client {
	t.Helper()
	c, err := api.NewClient(&api.Config{HttpClient: &http.Client{Transport: Transport(s)}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustSession(t *testing.T, s *Store, entry api.SessionEntry) string {
	t.Helper()
	id, err := s.CreateSession(entry)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// mustDo carries out an operation that has to succeed.
func mustDo(t *testing.T, s *Store, op api.KVTxnOp) {
	t.Helper()
	if ok, err := s.Do(op); !ok || err != nil {
		t.Fatalf("%s %q = %v, %v, want true", op.Verb, op.Key, ok, err)
	}
}

func lockOp(key, session string) api.KVTxnOp {
	return api.KVTxnOp{Verb: api.KVLock, Key: key, Session: session}
}

// entryAt returns the entry of key, or nil.
func entryAt(t *testing.T, s *Store, key string) *api.KVPair {
	t.Helper()
	e, _, err := s.Get(context.Background(), key, Query{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// holder returns the session that holds key, or "" when none does.
func holder(t *testing.T, s *Store, key string) string {
	t.Helper()
	if e := entryAt(t, s, key); e != nil {
		return e.Session
	}
	return ""
}
