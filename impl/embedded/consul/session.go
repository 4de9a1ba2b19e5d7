package consul

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// SerfCheck is the only check that a session can be tied to. It never fails.
const SerfCheck = "serfHealth"

// ErrBadSession is the error of a session that cannot be created as asked for.
var ErrBadSession = errors.New("invalid session request")

// session is a live session with the timer of its TTL.
type session struct {
	entry api.SessionEntry
	life  time.Duration // from a renewal to the expiry; zero means for ever
	ends  time.Time
	timer clock.Timer
}

func (x *session) disarm() {
	if x.timer != nil {
		x.timer.Stop()
	}
}

// CreateSession creates a session as entry asks for, with a new ID, and returns
// the ID. Empty fields get the defaults of a server, except for LockDelay: zero
// means none. A TTL out of bounds, an unknown node, check or behavior is
// [ErrBadSession].
func (s *Store) CreateSession(entry api.SessionEntry) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", ErrClosed
	}
	entry.Node = orDefault(entry.Node, s.opts.Node)
	entry.Behavior = orDefault(entry.Behavior, api.SessionBehaviorRelease)
	if err := s.checkSession(entry); err != nil {
		return "", fmt.Errorf("%w: %w", ErrBadSession, err)
	}
	s.index++
	entry.ID, entry.CreateIndex = s.opts.NewID(), s.index
	s.addSession(entry)
	s.sessionsChanged()
	return entry.ID, nil
}

func (s *Store) checkSession(entry api.SessionEntry) error {
	switch {
	case entry.Node != s.opts.Node:
		return fmt.Errorf("node %q is not registered, only %q is", entry.Node, s.opts.Node)
	case entry.Behavior != api.SessionBehaviorRelease && entry.Behavior != api.SessionBehaviorDelete:
		return fmt.Errorf("behavior %q is neither %q nor %q", entry.Behavior, api.SessionBehaviorRelease, api.SessionBehaviorDelete)
	case entry.LockDelay < 0:
		return fmt.Errorf("lock-delay %v is negative", entry.LockDelay)
	case len(entry.ServiceChecks) > 0:
		return errors.New("service checks are not supported")
	}
	for _, check := range slices.Concat(entry.Checks, entry.NodeChecks) {
		if check != SerfCheck {
			return fmt.Errorf("check %q is not registered, only %q is", check, SerfCheck)
		}
	}
	ttl, err := parseTTL(entry.TTL)
	if err != nil {
		return err
	}
	if ttl != 0 && (ttl < s.opts.MinTTL || ttl > maxTTL) {
		return fmt.Errorf("TTL %v is not between %v and %v", ttl, s.opts.MinTTL, maxTTL)
	}
	return nil
}

func parseTTL(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	ttl, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("TTL %q is not a duration such as 15s", text)
	}
	return ttl, nil
}

// addSession starts the life of a session that was checked before.
func (s *Store) addSession(entry api.SessionEntry) {
	ttl, _ := parseTTL(entry.TTL)
	x := &session{entry: entry, life: time.Duration(float64(ttl) * s.opts.TTLMultiplier)}
	s.sessions[entry.ID] = x
	if x.life > 0 {
		x.ends = s.clk.Now().Add(x.life)
		s.arm(x)
	}
}

// arm sets the timer of x. A renewal only moves the end: a timer that fires
// early sets itself again, which saves a timer operation for every renewal.
func (s *Store) arm(x *session) {
	x.timer = s.clk.AfterFunc(x.ends.Sub(s.clk.Now()), func() { s.expire(x) })
}

func (s *Store) expire(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed || s.sessions[x.entry.ID] != x:
	case s.clk.Now().Before(x.ends):
		s.arm(x)
	default:
		s.invalidate(x)
	}
}

// RenewSession gives a session its full time to live again. It reports false
// when there is no such session.
func (s *Store) RenewSession(id string) (api.SessionEntry, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return api.SessionEntry{}, false, ErrClosed
	}
	x, ok := s.sessions[id]
	if !ok {
		return api.SessionEntry{}, false, nil
	}
	x.ends = s.clk.Now().Add(x.life)
	return x.entry, true, nil
}

// SessionEnd is when a session will be invalidated unless it is renewed before,
// and how long it lives from a renewal on. It reports false for a session that
// does not exist or has no TTL.
func (s *Store) SessionEnd(id string) (ends time.Time, life time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, exists := s.sessions[id]
	if !exists || x.life == 0 {
		return time.Time{}, 0, false
	}
	return x.ends, x.life, true
}

// DestroySession invalidates a session, with the same consequences for the keys
// it holds as its expiry. An unknown ID is no error.
func (s *Store) DestroySession(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if x, ok := s.sessions[id]; ok {
		s.invalidate(x)
	}
	return nil
}

// invalidate removes a session, lets go of its keys and starts their lock-delay.
func (s *Store) invalidate(x *session) {
	x.disarm()
	delete(s.sessions, x.entry.ID)
	t := s.begin()
	now, delay := s.clk.Now(), min(x.entry.LockDelay, maxLockDelay)
	for key, e := range s.kv {
		if e.Session != x.entry.ID {
			continue
		}
		if x.entry.Behavior == api.SessionBehaviorDelete {
			t.delete(key)
		} else {
			free := *e
			free.Session = ""
			t.put(free)
		}
		if delay > 0 {
			s.delays[key] = now.Add(delay)
		}
	}
	t.commit()
	s.sessionsChanged()
}

// sessionsChanged marks the last entry of the log as a change to the sessions.
func (s *Store) sessionsChanged() {
	s.sessIndex = s.index
	s.wake(func(i interest) bool { return i.sessions })
}

// Sessions lists the live sessions in the order of their creation, with the
// index of the last change to any of them. It waits as q says.
func (s *Store) Sessions(ctx context.Context, q Query) (list []api.SessionEntry, index uint64, err error) {
	index, err = s.read(ctx, q, interest{sessions: true}, func() uint64 {
		list = s.sessionList()
		return max(s.sessIndex, firstIndex)
	})
	return list, index, err
}

func (s *Store) sessionList() []api.SessionEntry {
	list := make([]api.SessionEntry, 0, len(s.sessions))
	for _, x := range s.sessions {
		list = append(list, x.entry)
	}
	slices.SortFunc(list, func(a, b api.SessionEntry) int {
		if a.CreateIndex != b.CreateIndex {
			return int(a.CreateIndex) - int(b.CreateIndex)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}
