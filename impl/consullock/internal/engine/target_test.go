package engine

import (
	"slices"
	"testing"
)

func TestFollowNeverWaitsOnAnIndexFromTheFutureOrOnNone(t *testing.T) {
	for _, tc := range []struct {
		name             string
		since, got, want uint64
	}{
		{"first answer", 0, 17, 17},
		{"news", 17, 19, 19},
		{"no news", 17, 17, 17},
		{"backwards", 17, 5, 0},
		{"zero at first", 0, 0, 1},
		{"zero later", 17, 0, 0},
	} {
		if got := Follow(tc.since, tc.got); got != tc.want {
			t.Errorf("%s: Follow(%d, %d) = %d, want %d", tc.name, tc.since, tc.got, got, tc.want)
		}
	}
}

func TestRotateKeepsEveryPlace(t *testing.T) {
	places := []Place{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	starts := make(map[string]bool)
	for _, owner := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		got := rotate(slices.Clone(places), owner)
		starts[got[0].Key] = true
		slices.SortFunc(got, func(a, b Place) int { return int(a.Key[0]) - int(b.Key[0]) })
		if !slices.Equal(got, places) {
			t.Errorf("owner %s: places %v, want %v", owner, got, places)
		}
	}
	if len(starts) != 3 {
		t.Errorf("the owners begin with %v only", starts)
	}
}
