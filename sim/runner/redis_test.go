package runner

import (
	"strings"
	"testing"
)

// TestRedisTopologies shows what the parameters and faults of several Redis
// servers come down to.
func TestRedisTopologies(t *testing.T) {
	for name, body := range map[string]string{
		"five servers": `
variant v kind=redis/redlock nodes=5 expect no-violation
client A: try; work 100ms; release
expect A.sends[SET] = 5
expect owner at 1ms = A
expect A.release = ok
`,
		"a primary with replicas": `
param lag=10ms
variant v replicas=2 expect no-violation
client A: try; release
client B: at 1s try
fault kill primary at 500ms
expect A.try.took = 2ms
expect B.try = not-acquired
`,
		"a grant that waits for a replica": `
param lag=10ms
variant v kind=redis/replicated replicas=1 wait=1 expect no-violation
client A: try; release
expect A.try.took = 13ms
expect A.sends[WAIT].reply = 1
`,
		"a failover": `
param lag=10ms down-after=2s
until 10s
variant v ttl=1m replicas=1 sentinels=3 expect no-violation
client A: try; work 5s; release
client B: at 4s try
fault vanish primary at 1s
expect owner at 1500ms = none
expect owner at 3s = A
expect B.try = not-acquired
expect A.release = ok
`,
		"min-replicas": `
param max-lag=3s
variant v replicas=1 min-replicas=1 expect no-violation
client A: at 10s try
fault partition primary replica from 1s to 1m
expect A.try.reply = NOREPLICAS Not enough good replicas to write.
expect A.try = not-acquired
`,
		"a log and a power cut": `
param fsync=everysec
variant v ttl=1m expect no-violation
client A: try; at 2500ms exit
client B: at 2s try
fault vanish redis at 1500ms
fault restart redis at 1800ms from log
expect owner at 1900ms = A
expect B.try = not-acquired
`,
		"a clock that drifts": `
variant v expect no-violation
client A: try; work 2s
fault drift redis by 100ms every 1s
expect owner at 909ms = A
expect owner at 911ms = none
`,
		"all locks at once": `
lock lock:a lock:b
variant v kind=redis/multi expect no-violation
client A: try; work 500ms; release
client B: at 100ms try on=lock:b; release on=lock:b; at 600ms try on=lock:b; release on=lock:b
expect A.sends[SET] = 2
expect B.try = not-acquired
expect B.try#2 = ok
`,
	} {
		t.Run(name, func(t *testing.T) { mustRun(t, body) })
	}
}

func TestHandOffIsTheMeanOverThoseThatSomebodyWaitedFor(t *testing.T) {
	const body = `
param poll=100ms
variant v kind=redis/polling expect no-violation
client A: acquire; work 150ms; release; at 1s acquire; work 170ms; release; at 2s acquire; release
client B: at 100ms acquire; release; at 1100ms acquire; release
`
	for span, want := range map[string]string{
		"0s to 1s":      "50ms", // released at 153 ms, taken with the look at 203 ms
		"1s to end":     "30ms",
		"0s to end":     "40ms",
		"2s to end":     "none", // nobody waited
		"500ms to 1s":   "none",
		"400ms to 2s":   "30ms",
		"10ms to 150ms": "none",
	} {
		t.Run(strings.ReplaceAll(span, " ", "-"), func(t *testing.T) {
			mustRun(t, body+"expect hand-off from "+span+" = "+want+"\n")
		})
	}
}

func TestARestartThatCannotBeEndsTheRun(t *testing.T) {
	sc := parse(t, head+`variant v expect no-violation
client A: try; release
fault kill redis at 100ms
fault restart redis at 200ms from log
client B: at 1s try
expect A.try = ok
`)
	_, err := Run(t.Context(), sc, "v", Options{})
	if err == nil || !strings.Contains(err.Error(), "keeps no log") {
		t.Errorf("error: %v", err)
	}
}
