package runner

import (
	"slices"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// rowHead begins a scenario on the model of InnoDB; its variant is called v.
const rowHead = `title test
store mysql
lock lock:x
resource mug=2
param kind=rowlock resource=stock latency=1ms
variant v expect no-violation
`

func runRows(t *testing.T, clients string) *trace.Trace {
	t.Helper()
	r, err := Run(t.Context(), parse(t, rowHead+clients), "v", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Expects {
		if o.Status != Met {
			t.Errorf("%s: %s, got %s", o.Text, o.Status, o.Got)
		}
	}
	return r.Trace
}

// The sessions tell who holds a row, who waits behind whom, and what only the
// holder sees.
func TestSessionsShowWhoWaitsForWhom(t *testing.T) {
	tr := runRows(t, `client A: buy mug
client B: at 1ms buy mug
expect A.buy = ok
expect B.buy = ok
expect value mug at end = 0
`)
	w := tr.At(tr.StepBefore(int64(5500 * time.Microsecond)))
	sessions := w.SessionsOf("mysql")
	if len(sessions) != 2 {
		t.Fatalf("sessions %+v, want those of A and B", sessions)
	}
	a, b := sessions[0], sessions[1]
	if a.State != "in transaction" || !slices.Equal(a.Holds, []string{"row mug"}) || a.Sees != "mug=1" {
		t.Errorf("A is %+v, want it to hold the row and to see one mug", a)
	}
	if b.State != "waiting" || b.Waits != "row mug" || !slices.Equal(b.For, []string{"A"}) || b.Sees != "" {
		t.Errorf("B is %+v, want it to wait behind A", b)
	}
	if end := tr.At(tr.Len()); len(end.SessionsOf("mysql")) != 0 {
		t.Errorf("at the end there are %+v", end.SessionsOf("mysql"))
	}
}

// Only "busy" is tried again.
func TestSoldOutIsNotTriedAgain(t *testing.T) {
	runRows(t, `client A: buy mug; buy mug work=50ms
client B: at 15ms buy mug retry=30ms nowait
expect A.buy#2 = ok
expect B.buy = sold-out
expect B.buy.took > 40ms
`)
}
