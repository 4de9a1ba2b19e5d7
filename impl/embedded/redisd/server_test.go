package redisd_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAListeningServerIsReachedByItsURL(t *testing.T) {
	s, err := redisd.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := redis.ParseURL(s.URL())
	if err != nil {
		t.Fatalf("URL %q: %v", s.URL(), err)
	}
	o.MaintNotificationsConfig = s.Options().MaintNotificationsConfig
	for name, rdb := range map[string]*redis.Client{"by URL": redis.NewClient(o), "by options": s.Client()} {
		if err := rdb.Set(t.Context(), "k", name, 0).Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := rdb.Close(); err != nil {
			t.Errorf("%s: Close = %v", name, err)
		}
	}
}

func TestAnInMemoryServerHasNoAddress(t *testing.T) {
	s := redisd.InMemory()
	defer s.Close()
	if s.Addr() != "" || s.URL() != "" {
		t.Errorf("Addr %q, URL %q, want none", s.Addr(), s.URL())
	}
	rdb := s.Client()
	defer rdb.Close()
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Errorf("Ping = %v", err)
	}
}

func TestKeysExpireInTheTimeOfTheBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := redisd.InMemory()
		defer s.Close()
		rdb := s.Client()
		defer rdb.Close()
		rdb.Set(t.Context(), "k", "v", time.Hour)
		<-time.After(time.Hour - time.Millisecond)
		if err := rdb.Get(t.Context(), "k").Err(); err != nil {
			t.Errorf("1ms before its end: %v", err)
		}
		<-time.After(time.Millisecond)
		if err := rdb.Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
			t.Errorf("at its end: %v, want redis.Nil", err)
		}
	})
}

func TestACloseEndsConnections(t *testing.T) {
	s := redisd.InMemory()
	rdb := s.Client()
	defer rdb.Close()
	sub := rdb.Subscribe(t.Context(), "news")
	defer sub.Close()
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	if _, err := sub.Receive(t.Context()); err == nil {
		t.Error("a subscription goes on after Close")
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := redisd.Listen()
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
