package lock_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// fakeTx notes in its locker when it ends.
type fakeTx struct {
	locker             *local
	commitErr, rollErr error
}

func (x *fakeTx) Commit() error   { x.locker.note("commit"); return x.commitErr }
func (x *fakeTx) Rollback() error { x.locker.note("rollback"); return x.rollErr }

func (x *fakeTx) begin(context.Context) (*fakeTx, error) {
	x.locker.note("begin")
	return x, nil
}

func TestDoTxPutsTheLockOutsideTheTransaction(t *testing.T) {
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		tx   fakeTx
		fn   func(*local) error
		want []string // between lock and unlock
		errs []error
	}{
		"success":      {fn: func(*local) error { return nil }, want: []string{"begin", "commit"}},
		"failure":      {fn: func(*local) error { return failed }, want: []string{"begin", "rollback"}, errs: []error{failed}},
		"commit fails": {tx: fakeTx{commitErr: failed}, fn: func(*local) error { return nil }, want: []string{"begin", "commit"}, errs: []error{failed}},
		"rollback fails": {tx: fakeTx{rollErr: context.Canceled}, fn: func(*local) error { return failed },
			want: []string{"begin", "rollback"}, errs: []error{failed, context.Canceled}},
		"the lease ends": {fn: func(l *local) error { l.lose(); return nil },
			want: []string{"begin", "rollback"}, errs: []error{lock.ErrLost, lock.ErrNotHeld}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal()
			c.tx.locker = l
			err := lock.DoTx(t.Context(), l, "x", c.tx.begin, func(context.Context, *fakeTx) error { return c.fn(l) })
			if len(c.errs) == 0 && err != nil {
				t.Errorf("error %v", err)
			}
			for _, want := range c.errs {
				if !errors.Is(err, want) {
					t.Errorf("error %v, want %v", err, want)
				}
			}
			want := slices.Concat([]string{"lock x"}, c.want, []string{"unlock x"})
			if got := l.noted(); !slices.Equal(got, want) {
				t.Errorf("did %v, want %v", got, want)
			}
		})
	}
}

func TestDoTxRollsBackInAPanic(t *testing.T) {
	l := newLocal()
	func() {
		defer func() {
			if r := recover(); r != "oh" {
				t.Errorf("recovered %v, want the panic of fn", r)
			}
		}()
		tx := &fakeTx{locker: l}
		_ = lock.DoTx(t.Context(), l, "x", tx.begin, func(context.Context, *fakeTx) error { panic("oh") })
	}()
	if got, want := l.noted(), []string{"lock x", "begin", "rollback", "unlock x"}; !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
}

func TestDoTxThatCannotBeginReleases(t *testing.T) {
	l, failed := newLocal(), errors.New("failed")
	err := lock.DoTx(t.Context(), l, "x",
		func(context.Context) (*fakeTx, error) { return nil, failed },
		func(context.Context, *fakeTx) error { t.Error("fn ran"); return nil })
	if !errors.Is(err, failed) || !strings.HasPrefix(err.Error(), "begin: ") {
		t.Errorf("error %v, want the one of begin", err)
	}
	free(t, l, "x")
}
