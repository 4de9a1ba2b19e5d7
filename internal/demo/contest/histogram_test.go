package contest

import (
	"math"
	"testing"
	"time"
)

func TestBucketsAreGaplessAndNarrow(t *testing.T) {
	for i := 1; i < buckets; i++ {
		first, last := end(i-1)+1, end(i)
		if bucket(first) != i || bucket(last) != i {
			t.Fatalf("bucket %d: %d falls into %d and %d into %d", i, first, bucket(first), last, bucket(last))
		}
		if last-first > first/sub {
			t.Fatalf("bucket %d from %d to %d is wider than a sixteenth", i, first, last)
		}
	}
	if got := bucket(math.MaxInt64); got != buckets-1 {
		t.Errorf("the longest duration falls into bucket %d of %d", got, buckets)
	}
}

func TestQuantiles(t *testing.T) {
	var h histogram
	if h.quantile(0.5) != 0 {
		t.Error("there is a quantile of nothing")
	}
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Millisecond)
	}
	h.add(-time.Second) // clocks do that; it counts as nothing
	for _, tt := range []struct {
		q    float64
		want time.Duration
	}{
		{0, 0}, {0.5, 500 * time.Millisecond}, {0.99, 990 * time.Millisecond}, {1, 1000 * time.Millisecond},
	} {
		if got := h.quantile(tt.q); got < tt.want || got > tt.want*17/16 || got > time.Second {
			t.Errorf("quantile %v = %v, want %v or a sixteenth more", tt.q, got, tt.want)
		}
	}
}
