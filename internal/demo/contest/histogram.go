package contest

import (
	"math/bits"
	"time"
)

const (
	subBits = 4 // a bucket is at most a sixteenth of its durations wide
	sub     = 1 << subBits
	// buckets is enough for every positive duration: the largest shift is that
	// of a number with 63 bits.
	buckets = (63-subBits-1)*sub + 2*sub
)

// histogram counts durations in buckets whose width grows with them, so that it
// takes the same little room however long a contest lasts. The zero value is
// empty.
type histogram struct {
	counts [buckets]int64
	total  int64
	max    time.Duration
}

// add counts d; a negative one counts as zero.
func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(d)]++
	h.total++
	h.max = max(h.max, d)
}

// quantile is the duration that a share q (0 to 1) of the counted ones does not
// exceed. It is the end of a bucket, so it is right or too long by at most a
// sixteenth. It is 0 if nothing was counted.
func (h *histogram) quantile(q float64) time.Duration {
	rank := max(int64(q*float64(h.total)+0.5), 1)
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			return min(end(i), h.max)
		}
	}
	return h.max
}

// bucket is the number of the bucket for d. Those below 2*sub are one nanosecond
// wide; the following ones come in groups of sub for each power of two.
func bucket(d time.Duration) int {
	v := uint64(d)
	shift := max(bits.Len64(v)-subBits-1, 0)
	return shift*sub + int(v>>shift)
}

// end is the longest duration in a bucket.
func end(bucket int) time.Duration {
	shift := max(bucket/sub-1, 0)
	first := uint64(bucket-shift*sub) << shift
	return time.Duration(first + 1<<shift - 1)
}
