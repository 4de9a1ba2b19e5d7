package runner

import (
	"strings"
	"testing"
)

// TestLocksInATable shows faults and mistakes on locks that are rows.
func TestLocksInATable(t *testing.T) {
	for name, body := range map[string]string{
		"a lost answer is cleaned up": `
variant v expect no-violation
client A: acquire timeout=100ms; release
client B: at 2s try; release
fault drop reply of A INSERT
expect A.acquire = not-acquired
expect A.sends[UPDATE].reply = 1 row
expect B.try = ok
`,
		"a broken connection is replaced": `
variant v expect no-violation
client A: acquire; work 100ms; release
fault break request of A UPDATE
expect A.release = ok
expect A.sends[UPDATE] = 2
`,
		"a cut off holder loses its lease": `
variant v expect no-violation
client A: acquire; work 3s until-lost; release
client B: at 1002ms try; release
fault partition A sqlite from 100ms to 5s
expect A.work = lost
expect A.work.at = 1s
expect B.try = ok
`,
		"a release without an owner frees another's lock": `
variant v kind=sqlite/release-without-owner expect violation only-owner-releases
client A: acquire; work 1100ms; release
client B: at 1002ms try ttl=5s; work 1s; release
expect A.release = not-held
expect violation[only-owner-releases].at = 1103ms
`,
		"a renewed row is not free": `
variant v renew=on expect no-violation
client A: acquire; work 3s; release
client B: at 2s try
expect B.try = not-acquired
expect A.release = ok
`,
		"two locks in one table": `
lock lock:x lock:y
check mutual-exclusion only-owner-releases
variant v expect no-violation
client A: acquire; acquire on=lock:y; release on=lock:y; release
client B: at 3ms try on=lock:y; at 10ms try on=lock:y
expect A.acquire#2 = ok
expect B.try = not-acquired
expect B.try#2 = ok
`,
		"a clean-up that there is no job for": `
variant v kind=sqlite/insert-only expect no-violation
client A: acquire; release; clean-up 1m
expect A.clean-up = error
`,
		"a jump ahead ends the lease": `
variant v expect violation mutual-exclusion
client A: acquire ttl=10s; work 2s; release
client B: at 1s try; release
fault jump sqlite by 20s at 500ms
expect owner at 500ms = none
expect B.try = ok
`,
	} {
		t.Run(name, func(t *testing.T) { runOnSQLite(t, body) })
	}
}

func runOnSQLite(t *testing.T, body string) {
	t.Helper()
	start := "title test\nstore sqlite\nparam ttl=1s renew=off\n"
	if !strings.Contains(body, "\nlock ") {
		start += "lock lock:x\n"
	}
	r, err := Run(t.Context(), parse(t, start+body), "v", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Expects {
		if o.Status != Met {
			t.Errorf("line %d: %s: %s, got %s", o.Line, o.Text, o.Status, o.Got)
		}
	}
	if t.Failed() {
		t.Log("\n" + strings.Join(Golden(r.Trace), "\n"))
	}
}

func TestLikesNeedADatabase(t *testing.T) {
	mustRun(t, `
variant v expect no-violation
client A: acquire; like; release; lock-and-like
expect A.like = error
expect A.lock-and-like = error
`)
}
