package fencing_test

import (
	"errors"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestByGrantTellsEqualTokensApart(t *testing.T) {
	r := fencing.NewByGrant(map[string]int64{"report": 7})
	for _, w := range []struct {
		owner string
		token lock.Token
		value int64
		stale bool
	}{
		{"B", 1, 2, false},
		{"B", 1, 3, false}, // a holder may write more than once
		{"A", 1, 4, true},  // the same number from a grant that was lost
		{"C", 2, 5, false},
		{"B", 1, 6, true},
		{"A", 2, 8, true},
		{"C", 2, 9, false},
	} {
		before := r.Read("report")
		err := r.WriteAs(w.owner, "report", w.value, w.token)
		if errors.Is(err, fencing.ErrStale) != w.stale {
			t.Errorf("%s writes with token %d: %v", w.owner, w.token, err)
		}
		want := w.value
		if w.stale {
			want = before
		}
		if got := r.Read("report"); got != want {
			t.Errorf("after %s with token %d: %d, want %d", w.owner, w.token, got, want)
		}
	}
}

func TestByGrantAddRefusesAsWriteDoes(t *testing.T) {
	r := fencing.NewByGrant(map[string]int64{"stock": 5})
	if v, err := r.AddAs("B", "stock", -1, 1); err != nil || v != 4 {
		t.Errorf("B: %d, %v", v, err)
	}
	if v, err := r.AddAs("A", "stock", -1, 1); !errors.Is(err, fencing.ErrStale) || v != 4 {
		t.Errorf("A: %d, %v", v, err)
	}
}
