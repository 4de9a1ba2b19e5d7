package trace

import (
	"strconv"
	"time"
)

// Instant formats a virtual time or a duration in nanoseconds the way people
// read a timeline: in milliseconds below a second, in seconds below ten
// minutes, and as Go does beyond. The result can be parsed as a duration.
func Instant(ns int64) string {
	switch d := time.Duration(ns); {
	case ns < 0:
		return "-" + Instant(-ns)
	case d < time.Second:
		return short(float64(ns)/1e6) + "ms"
	case d < 10*time.Minute:
		return short(float64(ns)/1e9) + "s"
	default:
		return d.String()
	}
}

func short(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
