package model_test

import (
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
)

// bound is a store with a lease named 1 of 10 s from 0 on, and the key "k" on it.
func bound(t *testing.T) *model.Store {
	t.Helper()
	s := model.New()
	s.Grant(0, 1, 10*time.Second)
	if _, err := s.Txn(etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Put("k", "v", 1)}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestALeaseTakesItsKeysAlong(t *testing.T) {
	s := bound(t)
	if ended := s.Expire(10*time.Second - 1); len(ended) != 0 || len(s.Keys()) != 1 {
		t.Errorf("too early: %v ended, keys %v", ended, s.Keys())
	}
	if ended := s.Expire(10 * time.Second); len(ended) != 1 || len(s.Keys()) != 0 {
		t.Errorf("%v ended, keys %v", ended, s.Keys())
	}
	if s.Revision() != 3 {
		t.Errorf("revision %d: the deletion is one change", s.Revision())
	}
}

func TestAKeepAliveCountsFromItsArrival(t *testing.T) {
	s := bound(t)
	if ttl, err := s.KeepAlive(4*time.Second, 1); ttl != 10*time.Second || err != nil {
		t.Errorf("KeepAlive = %v, %v", ttl, err)
	}
	if end, _ := s.NextEnd(); end != 14*time.Second {
		t.Errorf("ends at %v", end)
	}
}

func TestALeaseThatHasRunOutIsNotRenewed(t *testing.T) {
	s := bound(t)
	if _, err := s.KeepAlive(10*time.Second, 1); !errors.Is(err, model.ErrEnding) {
		t.Errorf("KeepAlive before the revocation = %v", err)
	}
	s.Expire(10 * time.Second)
	if _, err := s.KeepAlive(10*time.Second, 1); !errors.Is(err, etcdlock.ErrLeaseNotFound) {
		t.Errorf("KeepAlive after it = %v", err)
	}
}

func TestShortLeasesAreRaised(t *testing.T) {
	s := model.New()
	for asked, want := range map[time.Duration]time.Duration{
		time.Second: model.MinTTL, 2500 * time.Millisecond: 3 * time.Second,
	} {
		if got := s.Grant(0, etcdlock.LeaseID(asked), asked); got != want {
			t.Errorf("Grant(%v) = %v, want %v", asked, got, want)
		}
	}
}

func TestARestartBeginsLeasesAnewAndForgetsWatches(t *testing.T) {
	s := bound(t)
	s.Watch("k", 0)
	s.Restart(8 * time.Second)
	if end, _ := s.NextEnd(); end != 18*time.Second {
		t.Errorf("ends at %v", end)
	}
	if err := s.Revoke(1); err != nil || len(s.Notices()) != 0 {
		t.Errorf("Revoke = %v, or a watch was told", err)
	}
}

func TestAWatchFromThePastIsServedByTheNextResync(t *testing.T) {
	s := bound(t)
	if err := s.Revoke(1); err != nil {
		t.Fatal(err)
	}
	w := s.Watch("k", 2)
	if told := s.Notices(); len(told) != 0 || !s.Behind() {
		t.Errorf("told %v at once", told)
	}
	s.Resync()
	if told := s.Notices(); len(told) != 1 || told[0].Watch != w || told[0].Revision != 3 || s.Behind() {
		t.Errorf("told %v", told)
	}
}
