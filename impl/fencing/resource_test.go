package fencing_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestAWriteNeedsATokenNotSmallerThanAnySeen(t *testing.T) {
	type write struct {
		value int64
		token lock.Token
		stale bool
	}
	for name, c := range map[string]struct {
		writes []write
		want   int64
		seen   lock.Token
	}{
		"larger and larger":         {[]write{{1, 33, false}, {2, 34, false}}, 2, 34},
		"the same again":            {[]write{{1, 33, false}, {2, 33, false}}, 2, 33},
		"smaller is refused":        {[]write{{1, 34, false}, {2, 33, true}}, 1, 34},
		"and goes on being refused": {[]write{{1, 34, false}, {2, 33, true}, {3, 33, true}, {4, 34, false}}, 4, 34},
		"zero before the first":     {[]write{{1, 0, false}}, 1, 0},
		"zero after another":        {[]write{{1, 1, false}, {2, 0, true}}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := fencing.NewResource(nil)
			for i, w := range c.writes {
				err := r.Write("stock", w.value, w.token)
				if errors.Is(err, fencing.ErrStale) != w.stale || (err == nil) == w.stale {
					t.Errorf("write %d with token %d = %v, want stale %v", i, w.token, err, w.stale)
				}
			}
			if r.Read("stock") != c.want || r.Seen("stock") != c.seen {
				t.Errorf("value %d, token %d; want %d, %d", r.Read("stock"), r.Seen("stock"), c.want, c.seen)
			}
		})
	}
}

func TestAStaleWriteSaysBothTokens(t *testing.T) {
	r := fencing.NewResource(nil)
	if err := r.Write("stock", 1, 34); err != nil {
		t.Fatal(err)
	}
	var stale *fencing.StaleError
	if err := r.Write("stock", 2, 33); !errors.As(err, &stale) {
		t.Fatalf("Write = %v, want a StaleError", err)
	}
	if *stale != (fencing.StaleError{Name: "stock", Token: 33, Seen: 34}) {
		t.Errorf("StaleError = %+v", *stale)
	}
}

func TestNamesAreApart(t *testing.T) {
	r := fencing.NewResource(map[string]int64{"a": 1, "b": 2})
	if err := r.Write("a", 10, 9); err != nil {
		t.Fatal(err)
	}
	if err := r.Write("b", 20, 1); err != nil {
		t.Errorf("a token seen for a refuses a write to b: %v", err)
	}
}

func TestInitialValuesAreCopied(t *testing.T) {
	initial := map[string]int64{"stock": 5}
	r := fencing.NewResource(initial)
	if err := r.Write("stock", 4, 1); err != nil {
		t.Fatal(err)
	}
	if initial["stock"] != 5 || r.Read("stock") != 4 || r.Read("absent") != 0 {
		t.Errorf("initial %d, stock %d, absent %d", initial["stock"], r.Read("stock"), r.Read("absent"))
	}
}

func TestAddIsCheckedToo(t *testing.T) {
	r := fencing.NewResource(map[string]int64{"stock": 5})
	if got, err := r.Add("stock", -1, 34); got != 4 || err != nil {
		t.Errorf("Add = %d, %v; want 4", got, err)
	}
	if got, err := r.Add("stock", -1, 33); got != 4 || !errors.Is(err, fencing.ErrStale) {
		t.Errorf("stale Add = %d, %v; want the value as it stands and ErrStale", got, err)
	}
}

func TestAddsAtTheSameTimeAllCount(t *testing.T) {
	r := fencing.NewResource(nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, err := r.Add("n", 1, 1); err != nil {
					t.Errorf("Add = %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := r.Read("n"); got != 800 {
		t.Errorf("n = %d, want 800", got)
	}
}

func ExampleResource() {
	stock := fencing.NewResource(map[string]int64{"stock": 10})
	fmt.Println(stock.Write("stock", 9, 34)) // the holder
	fmt.Println(stock.Write("stock", 8, 33)) // the one before it, waking up
	// Output:
	// <nil>
	// write to "stock" refused: stale fencing token: 33 after 34
}
