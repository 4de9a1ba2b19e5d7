package likes_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/likes"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var press = likes.Like{Post: 1, Person: "ann", Request: "click 1"}

func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		for _, defence := range []likes.Defence{likes.None, likes.Unique, likes.Conditional, likes.Idempotency} {
			t.Run(string(defence), func(t *testing.T) {
				t.Run("twice, one after the other", func(t *testing.T) { oneAfterTheOther(t, newService(t, b, defence)) })
				t.Run("twice at a time", func(t *testing.T) { atATime(t, b, newService(t, b, defence), defence) })
			})
		}
	})
}

func newService(t *testing.T, b sqltest.Backend, defence likes.Defence) *likes.Service {
	t.Helper()
	for _, table := range []string{"likes", "like_requests"} {
		b.Exec(t, "DROP TABLE IF EXISTS "+table)
	}
	rows, err := rowlock.New(b.DB, rowlock.Config{Dialect: b.Dialect})
	if err != nil {
		t.Fatal(err)
	}
	s, err := likes.New(rows, defence)
	if err == nil {
		err = s.CreateSchema(t.Context())
	}
	if err == nil {
		err = s.Prepare(t.Context(), press.Post, press.Person)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantTimes(t *testing.T, s *likes.Service, want int64) {
	t.Helper()
	if got, err := s.Times(t.Context(), press.Post, press.Person); err != nil || got != want {
		t.Errorf("counted %d times, %v; want %d", got, err, want)
	}
}

func oneAfterTheOther(t *testing.T, s *likes.Service) {
	wantTimes(t, s, 0)
	if err := s.Like(t.Context(), press); err != nil {
		t.Fatal(err)
	}
	if err := s.Like(t.Context(), press); !errors.Is(err, likes.ErrAlready) {
		t.Errorf("the second press: %v, want likes.ErrAlready", err)
	}
	wantTimes(t, s, 1)
}

// firstWrite begins what the service does after it has looked.
func firstWrite(defence likes.Defence, kind dialect.Kind) string {
	switch {
	case defence == likes.Conditional:
		return "UPDATE likes"
	case defence == likes.Idempotency && kind == dialect.KindMySQL:
		return "START TRANSACTION"
	case defence == likes.Idempotency:
		return "BEGIN"
	}
	return "INSERT INTO likes"
}

// atATime lets the second press come between the look and the write of the
// first, as happens without a lock, or with one that has failed.
func atATime(t *testing.T, b sqltest.Backend, s *likes.Service, defence likes.Defence) {
	b.Tap.On(firstWrite(defence, b.Kind()), func(_ context.Context, send func() error) error {
		if again := s.Like(t.Context(), press); again != nil {
			t.Errorf("the press in between: %v", again)
		}
		return send()
	})
	err := s.Like(t.Context(), press)
	if defence == likes.None {
		if err != nil {
			t.Errorf("without a defence: %v, want no error, which is what is wrong", err)
		}
		wantTimes(t, s, 2)
		return
	}
	if !errors.Is(err, likes.ErrAlready) {
		t.Errorf("the late press: %v, want likes.ErrAlready", err)
	}
	wantTimes(t, s, 1)
}

func TestAnUnknownDefenceIsRefused(t *testing.T) {
	if _, err := likes.New(nil, "hope"); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("New = %v, want lock.ErrInvalid", err)
	}
}
