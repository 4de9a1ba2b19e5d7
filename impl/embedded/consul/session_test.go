package consul

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"
)

func TestSessionLivesForTwiceItsTTLUnlessRenewed(t *testing.T) {
	for _, tc := range []struct {
		name       string
		multiplier float64
		renewAt    time.Duration
		want       time.Duration
	}{
		{name: "real server", want: 20 * time.Second},
		{name: "at the lower bound", multiplier: 1, want: 10 * time.Second},
		{name: "renewed", renewAt: 9 * time.Second, want: 29 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, Options{TTLMultiplier: tc.multiplier})
				id := mustSession(t, s, api.SessionEntry{TTL: "10s"})
				mustDo(t, s, lockOp("k", id))
				if tc.renewAt > 0 {
					time.Sleep(tc.renewAt)
					if _, found, err := s.RenewSession(id); !found || err != nil {
						t.Fatalf("renew = %v, %v", found, err)
					}
				}
				time.Sleep(tc.want - tc.renewAt - time.Millisecond)
				synctest.Wait()
				if got := holder(t, s, "k"); got != id {
					t.Fatalf("holder 1 ms before the end = %q, want %q", got, id)
				}
				time.Sleep(time.Millisecond)
				synctest.Wait()
				if got := holder(t, s, "k"); got != "" {
					t.Errorf("holder at the end = %q, want none", got)
				}
				if _, found, _ := s.RenewSession(id); found {
					t.Error("the session can still be renewed")
				}
			})
		})
	}
}

func TestSessionWithoutTTLLivesUntilItIsDestroyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		id := mustSession(t, s, api.SessionEntry{})
		time.Sleep(48 * time.Hour)
		if _, found, _ := s.RenewSession(id); !found {
			t.Fatal("the session is gone")
		}
		if err := s.DestroySession(id); err != nil {
			t.Fatal(err)
		}
		if _, found, _ := s.RenewSession(id); found {
			t.Error("the session outlived its destruction")
		}
	})
}

func TestInvalidationReleasesOrDeletesWhatTheSessionHolds(t *testing.T) {
	for _, tc := range []struct {
		behavior string
		stays    bool
	}{
		{behavior: "", stays: true},
		{behavior: api.SessionBehaviorRelease, stays: true},
		{behavior: api.SessionBehaviorDelete, stays: false},
	} {
		t.Run("behavior "+tc.behavior, func(t *testing.T) {
			s := newStore(t, Options{})
			id := mustSession(t, s, api.SessionEntry{Behavior: tc.behavior})
			mustDo(t, s, lockOp("held", id))
			mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "other"})
			before := entryAt(t, s, "held").ModifyIndex
			if err := s.DestroySession(id); err != nil {
				t.Fatal(err)
			}
			e := entryAt(t, s, "held")
			if (e != nil) != tc.stays {
				t.Fatalf("the key stays = %v, want %v", e != nil, tc.stays)
			}
			if e != nil && (e.Session != "" || e.ModifyIndex <= before) {
				t.Errorf("session %q, index %d, want none and more than %d", e.Session, e.ModifyIndex, before)
			}
			if entryAt(t, s, "other") == nil {
				t.Error("a key that the session did not hold is gone")
			}
		})
	}
}

func TestLockDelayKeepsEverybodyOutAfterAnInvalidation(t *testing.T) {
	for _, tc := range []struct {
		name        string
		delay, want time.Duration
	}{
		{name: "none", delay: 0, want: 0},
		{name: "15 s", delay: 15 * time.Second, want: 15 * time.Second},
		{name: "capped at 60 s", delay: time.Hour, want: 60 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, Options{})
				a := mustSession(t, s, api.SessionEntry{LockDelay: tc.delay})
				b := mustSession(t, s, api.SessionEntry{})
				mustDo(t, s, lockOp("k", a))
				if err := s.DestroySession(a); err != nil {
					t.Fatal(err)
				}
				if got := s.LockDelay("k"); got != tc.want {
					t.Fatalf("lock-delay = %v, want %v", got, tc.want)
				}
				if tc.want > 0 {
					time.Sleep(tc.want - time.Millisecond)
					index := s.Index()
					if ok, err := s.Do(lockOp("k", b)); ok || err != nil {
						t.Fatalf("lock within the lock-delay = %v, %v, want false", ok, err)
					}
					if s.Index() != index {
						t.Error("the refusal got into the log")
					}
					time.Sleep(time.Millisecond)
				}
				mustDo(t, s, lockOp("k", b))
			})
		})
	}
}

func TestReleaseStartsNoLockDelay(t *testing.T) {
	s := newStore(t, Options{})
	a := mustSession(t, s, api.SessionEntry{LockDelay: time.Minute})
	b := mustSession(t, s, api.SessionEntry{})
	mustDo(t, s, lockOp("k", a))
	mustDo(t, s, api.KVTxnOp{Verb: api.KVUnlock, Key: "k", Session: a})
	mustDo(t, s, lockOp("k", b))
}

func TestSessionThatCannotBeIsRefused(t *testing.T) {
	for name, entry := range map[string]api.SessionEntry{
		"TTL below 10 s":   {TTL: "9.999s"},
		"TTL above 24 h":   {TTL: "24h1s"},
		"TTL of what":      {TTL: "soon"},
		"unknown behavior": {Behavior: "keep"},
		"unknown node":     {Node: "elsewhere"},
		"unknown check":    {NodeChecks: []string{"disk"}},
		"service check":    {ServiceChecks: []api.ServiceCheck{{ID: "web"}}},
		"negative delay":   {LockDelay: -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, Options{})
			if _, err := s.CreateSession(entry); !errors.Is(err, ErrBadSession) {
				t.Errorf("error = %v, want ErrBadSession", err)
			}
		})
	}
}

func TestMinTTLCanBeLowered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{MinTTL: time.Millisecond})
		id := mustSession(t, s, api.SessionEntry{TTL: "50ms"})
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if _, found, _ := s.RenewSession(id); found {
			t.Error("the session outlived twice its TTL")
		}
	})
}

func TestTheEndOfASessionMovesWithItsRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		id := mustSession(t, s, api.SessionEntry{TTL: "10s"})
		time.Sleep(5 * time.Second)
		if ends, life, ok := s.SessionEnd(id); !ok || life != 20*time.Second || time.Until(ends) != 15*time.Second {
			t.Errorf("before the renewal it ends in %v of %v, %v", time.Until(ends), life, ok)
		}
		if _, _, err := s.RenewSession(id); err != nil {
			t.Fatal(err)
		}
		if ends, _, _ := s.SessionEnd(id); time.Until(ends) != 20*time.Second {
			t.Errorf("after the renewal it ends in %v", time.Until(ends))
		}
		for name, id := range map[string]string{"unknown": "none", "without a TTL": mustSession(t, s, api.SessionEntry{})} {
			if _, _, ok := s.SessionEnd(id); ok {
				t.Errorf("a session that is %s has an end", name)
			}
		}
	})
}
