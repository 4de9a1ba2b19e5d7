package consullock

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestRequestsThatCannotWorkAreRefusedUnsent(t *testing.T) {
	a := newProcess(t, newStore(t), Config{})
	for name, f := range map[string]func() error{
		"no key":         func() error { _, err := a.Acquire(background, ""); return err },
		"long key":       func() error { _, err := a.Acquire(background, strings.Repeat("k", 513)); return err },
		"leading slash":  func() error { _, err := a.Acquire(background, "/k"); return err },
		"double slash":   func() error { _, err := a.Acquire(background, "a//b"); return err },
		"trailing slash": func() error { _, err := a.Acquire(background, "a/"); return err },
		"dots":           func() error { _, err := a.Acquire(background, "a/../b"); return err },
		"space":          func() error { _, err := a.Acquire(background, "k "); return err },
		"control":        func() error { _, err := a.Acquire(background, "a\nb"); return err },
		"owner":          func() error { _, err := a.Acquire(background, "k", lock.WithOwner("me")); return err },
		"short TTL":      func() error { _, err := a.Acquire(background, "k", lock.WithTTL(time.Second)); return err },
		"fixed for 0 s":  func() error { _, err := a.Acquire(background, "k", lock.WithFixedLease(0)); return err },
	} {
		if err := f(); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	if sent := a.net.requests(); len(sent) != 0 {
		t.Errorf("requests = %q, want none", sent)
	}
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	client, _ := newClient(t, newStore(t))
	for name, cfg := range map[string]Config{
		"short TTL":        {TTL: 9 * time.Second},
		"long TTL":         {TTL: 25 * time.Hour},
		"long lock-delay":  {LockDelay: 61 * time.Second},
		"tiny lock-delay":  {LockDelay: time.Microsecond},
		"unknown behavior": {Behavior: "keep"},
		"negative poll":    {DelayPoll: -1},
		"negative timeout": {RequestTimeout: -1},
		"long wait":        {Wait: time.Hour},
	} {
		if _, err := New(client, cfg); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	if _, err := New(nil, Config{}); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("no client: %v, want ErrInvalid", err)
	}
	if _, err := New(client, Config{TTL: time.Second, MinTTL: time.Second}); err != nil {
		t.Errorf("a TTL of the server's lowered minimum: %v", err)
	}
}
