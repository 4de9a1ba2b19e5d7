package tui

import (
	"strconv"
	"strings"
	"time"
)

// clockText writes a virtual time or a span, given in nanoseconds, as a person
// would: 402 ms, 1.402 s, 75 s.
func clockText(ns int64) string {
	d := time.Duration(ns)
	switch a := d.Abs(); {
	case a < time.Second:
		return decimals(float64(ns)/1e6, 2) + " ms"
	case a < 1000*time.Second:
		return decimals(float64(ns)/1e9, 3) + " s"
	default:
		return decimals(float64(ns)/1e9, 0) + " s"
	}
}

// decimals writes v with at most n decimals and without zeros at the end.
func decimals(v float64, n int) string {
	s := strconv.FormatFloat(v, 'f', n, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// columnText writes a time for a column of some width. Seconds keep their
// decimals, so that they stand below each other, unless there is no room.
func columnText(ns int64, width int) string {
	text := clockText(ns)
	if time.Duration(ns) >= time.Second {
		for n := 3; n >= 0 && (n == 3 || len(text) > width); n-- {
			text = strconv.FormatFloat(float64(ns)/1e9, 'f', n, 64) + " s"
		}
	}
	return text
}
