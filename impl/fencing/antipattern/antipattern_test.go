package antipattern_test

import (
	"errors"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// register is what the right resource and the wrong ones have in common.
type register interface {
	Read(name string) int64
	Write(name string, value int64, token lock.Token) error
	Add(name string, delta int64, token lock.Token) (int64, error)
}

var (
	_ register = (*fencing.Resource)(nil)
	_ register = (*antipattern.Unfenced)(nil)
	_ register = (*antipattern.CheckThenWrite)(nil)
)

func TestAStaleWriteInOneGo(t *testing.T) {
	initial := map[string]int64{"stock": 10}
	for name, c := range map[string]struct {
		r        register
		accepted bool
	}{
		"Resource":       {fencing.NewResource(initial), false},
		"CheckThenWrite": {antipattern.NewCheckThenWrite(initial), false},
		"Unfenced":       {antipattern.NewUnfenced(initial), true},
	} {
		if err := c.r.Write("stock", 9, 34); err != nil {
			t.Errorf("%s: write of the holder = %v", name, err)
		}
		err := c.r.Write("stock", 8, 33)
		if (err == nil) != c.accepted || (err != nil && !errors.Is(err, fencing.ErrStale)) {
			t.Errorf("%s: stale write = %v, want accepted %v", name, err, c.accepted)
		}
		if got := c.r.Read("stock") == 8; got != c.accepted {
			t.Errorf("%s: stock = %d after a stale write, want accepted %v", name, c.r.Read("stock"), c.accepted)
		}
		if _, err := c.r.Add("stock", -1, 33); (err == nil) != c.accepted {
			t.Errorf("%s: stale Add = %v, want accepted %v", name, err, c.accepted)
		}
	}
}

// The mistake of CheckThenWrite: the new holder comes between the two steps.
func TestAStaleWriteSlipsInBetweenCheckAndPut(t *testing.T) {
	r := antipattern.NewCheckThenWrite(nil)
	if err := r.Check("stock", 33); err != nil {
		t.Fatalf("Check of the first holder = %v", err)
	}
	if err := r.Write("stock", 9, 34); err != nil {
		t.Fatalf("write of the new holder = %v", err)
	}
	r.Put("stock", 8)
	if got := r.Read("stock"); got != 8 {
		t.Errorf("stock = %d, want the stale 8 on top of the new holder's 9", got)
	}
}

func TestInitialValuesAreCopied(t *testing.T) {
	initial := map[string]int64{"stock": 10}
	for name, r := range map[string]register{
		"CheckThenWrite": antipattern.NewCheckThenWrite(initial),
		"Unfenced":       antipattern.NewUnfenced(initial),
	} {
		if got, err := r.Add("stock", -1, 1); got != 9 || err != nil || initial["stock"] != 10 {
			t.Errorf("%s: Add = %d, %v, the caller's map says %d", name, got, err, initial["stock"])
		}
	}
}
