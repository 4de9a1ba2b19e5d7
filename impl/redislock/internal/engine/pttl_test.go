package engine

import (
	"testing"
	"time"
)

func TestUntilExpiredFollowsTheAnswersOfPTTL(t *testing.T) {
	for pttl, want := range map[int64]time.Duration{
		-2:   0,  // no such key: look again at once
		-1:   -1, // no TTL: nobody knows
		0:    time.Millisecond,
		1500: 1501 * time.Millisecond,
	} {
		if got := UntilExpired(pttl); got != want {
			t.Errorf("UntilExpired(%d) = %v, want %v", pttl, got, want)
		}
	}
}
