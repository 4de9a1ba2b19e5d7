package runner

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// head begins every test scenario; its variant is called v.
const head = `title test
store redis
lock lock:x
param ttl=1s renew=off
`

func parse(t *testing.T, text string) *script.Scenario {
	t.Helper()
	sc, err := script.Parse("test.scn", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// mustRun runs variant v of head + body and fails on every expectation that
// does not hold.
func mustRun(t *testing.T, body string) *Result {
	t.Helper()
	start := head
	if strings.Contains(body, "\nlock ") {
		start = strings.Replace(head, "lock lock:x\n", "", 1)
	}
	sc := parse(t, start+body)
	r, err := Run(t.Context(), sc, "v", Options{})
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
	return r
}

// TestFaults shows what each kind of fault does to a lock and its clients.
func TestFaults(t *testing.T) {
	for name, body := range map[string]string{
		"crash at a time": `
variant v expect no-violation
client A: acquire; work 500ms; release
client B: at 100ms acquire; release
fault crash A at 200ms
expect A.release = waiting
expect owner at 1000ms = A
expect owner at 1001ms = none
expect B.acquire.at >= 1001ms
`,
		"crash before a command": `
variant v expect no-violation
client A: acquire; release
fault crash A before SET
expect A.sends[SET] = 0
expect owner at end = none
`,
		"crash after a command": `
variant v expect no-violation
client A: acquire; release
fault crash A after SET
expect A.sends[SET].reply = OK
expect A.acquire = waiting
expect owner at 500ms = A
`,
		"pause of the process": `
variant v expect no-violation
client A: acquire; work 100ms; release
fault pause A at 50ms for 300ms
expect A.work.at = 350ms
expect A.release = ok
`,
		"lost request": `
variant v expect no-violation
client A: try; after 2s try
fault drop request of A SET
expect A.try = not-acquired
expect A.try#2 = ok
expect A.sends[SET] = 2
`,
		"lost answer: the grant is taken back by its owner": `
variant v expect no-violation
client A: try
client B: at 900ms try; release
fault drop reply of A SET
expect A.try = not-acquired
expect A.sends[release.lua].reply = 1
expect B.try = ok
`,
		"delayed answer": `
variant v expect no-violation
client A: acquire; release
fault delay reply of A SET by 100ms
expect A.acquire.took = 102ms
`,
		"request held back": `
variant v expect no-violation
client A: acquire; release
fault hold request of A SET until 200ms
expect A.acquire.at = 201ms
`,
		"clock of a node jumps": `
variant v expect violation mutual-exclusion
client A: acquire; work 800ms; release
client B: at 300ms try; release
fault jump redis by 5s at 200ms
expect owner at 199ms = A
expect owner at 200ms = none
expect B.try = ok
expect violation[mutual-exclusion].at = 302ms
`,
		"partition": `
variant v expect no-violation
client A: acquire; work 100ms; release
fault partition A redis from 50ms to 400ms
expect A.release = unknown
expect owner at 900ms = A
expect owner at 1001ms = none
`,
		"one way: requests arrive, answers do not": `
variant v expect no-violation
client A: acquire; work 100ms; release
fault block redis A from 50ms to 400ms
expect A.release = unknown
expect owner at 102ms = A
expect owner at 103ms = none
`,
		"a partition of groups": `
variant v expect no-violation
client A: at 100ms try
client B: at 100ms try
fault partition A,B redis from 50ms to 400ms
expect A.try = not-acquired
expect A.try.at > 400ms
expect B.try.at > 400ms
`,
		"a duplicate is executed twice and answered once": `
variant v expect no-violation
client A: acquire; release
fault duplicate request of A release.lua
expect A.release = ok
expect A.sends[release.lua] = 1
expect requests of A from 0s to end = 2
`,
		"a group begins one after the other": `
param n=3
variant v expect no-violation
client W[$n] every 10ms: at 100ms acquire; work 5ms; release
expect W1.acquire.start = 100ms
expect W3.acquire.start = 120ms
expect W3.release = ok
expect waiting at 101ms = 1
expect waiting at 111ms = 1
expect waiting at end = 0
`,
		"wake-ups are counted": `
variant v expect no-violation
client A: acquire; work 100ms; release
client W[4]: at 10ms acquire; release
expect wakeups from 0s to 105ms = 4
expect wakeups of W2 from 0s to 105ms = 1
expect wakeups of A from 0s to end = 0
`,
		"a lost host": `
variant v expect no-violation
client A: acquire; work 5s; release
fault vanish A at 100ms
expect A.release = waiting
expect owner at 1000ms = A
expect owner at 1001ms = none
`,
		"several locks": `
lock k other
variant v expect no-violation
client A: acquire; acquire on=other; work 10ms; release on=other; release
client B: at 1ms acquire on=other; release on=other
expect A.release = ok
expect A.release#2 = ok
`,
		"a refused lock is not given back, those before it are": `
lock k other
variant v expect no-violation
client A: acquire; try on=other; work 100ms; release on=other; release
client B: acquire on=other; work 500ms; release on=other
expect A.try = not-acquired
expect A.work = skipped
expect A.release = skipped
expect A.release#2 = ok
`,
		"clock of a client jumps: leases are measured, not read": `
variant v expect no-violation
client A: acquire; work 500ms; release
fault jump A by 1h at 200ms
expect A.release = ok
`,
		"offset of a node changes nothing that is measured": `
variant v expect no-violation
client A: acquire; work 500ms; crash
fault offset redis by 1h
expect owner at 1000ms = A
expect owner at 1001ms = none
`,
		"offset of a clock changes nothing that is measured": `
variant v expect no-violation
client A: acquire; work 100ms; release
fault offset A by 1h
expect A.release = ok
expect A.release.start = 102ms
`,
	} {
		t.Run(name, func(t *testing.T) { mustRun(t, body) })
	}
}

func TestEveryVerbOfTheLanguageHasAMeaning(t *testing.T) {
	var known []string
	for _, v := range script.Verbs() {
		known = append(known, v.Name)
	}
	slices.Sort(known)
	if got := slices.Sorted(maps.Keys(verbs)); !slices.Equal(got, known) {
		t.Errorf("the runner knows %v, the language %v", got, known)
	}
}

func TestEveryKindOfLockCanBeBuilt(t *testing.T) {
	got := []string{localMutex}
	for _, b := range builders {
		got = append(got, b.kinds...)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if known := slices.Sorted(maps.Keys(script.Kinds)); !slices.Equal(got, known) {
		t.Errorf("the runner builds %v, the language knows %v", got, known)
	}
}

const twoVariants = head + `
variant v expect no-violation
variant w kind=redis/plain-delete expect violation only-owner-releases
param work=1500ms
client A: acquire; work $work; release
client B: at 1200ms acquire ttl=5s; work 1s; release
expect A.release = not-held when variant=v
expect A.release.start = 1502ms
`

func TestChangedParametersMakeExpectationsNotApplicable(t *testing.T) {
	sc := parse(t, twoVariants)
	r, err := Run(t.Context(), sc, "v", Options{Set: map[string]string{"work": "200ms"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Status{Met, NotApplicable, NotApplicable}
	for i, o := range r.Expects {
		if o.Status != want[i] {
			t.Errorf("%s: %s, want %s", o.Text, o.Status, want[i])
		}
	}
	if !r.OK() || !slices.Equal(r.Changed, []string{"work"}) {
		t.Errorf("OK %v, changed %v", r.OK(), r.Changed)
	}
	// A violation that does not come any more is not applicable either.
	r, err = Run(t.Context(), sc, "w", Options{Set: map[string]string{"work": "200ms"}})
	if err != nil {
		t.Fatal(err)
	}
	if o := r.Expects[0]; o.Status != NotApplicable || o.Got != "no-violation" {
		t.Errorf("verdict: %+v", o)
	}
}

func TestASurprisingViolationFailsEvenWithChangedParameters(t *testing.T) {
	sc := parse(t, head+`
variant v kind=redis/plain-delete expect no-violation
param work=200ms
client A: acquire; work $work; release
client B: at 1200ms acquire ttl=5s; work 1s; release
expect A.release = ok
`)
	r, err := Run(t.Context(), sc, "v", Options{Set: map[string]string{"work": "1500ms"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.OK() || r.Expects[0].Status != Failed {
		t.Errorf("verdict: %+v", r.Expects[0])
	}
}

func TestWrongChoicesAreExplained(t *testing.T) {
	sc := parse(t, twoVariants)
	for _, tc := range []struct {
		variant string
		set     map[string]string
		want    string
	}{
		{"x", nil, `has no variant "x"`},
		{"v", map[string]string{"wrok": "1s"}, `did you mean "work"?`},
		{"v", map[string]string{"work": "soon"}, `bad duration "soon"`},
		{"v", map[string]string{"latency": "1s"}, "not declared by this scenario"},
	} {
		_, err := Run(t.Context(), sc, tc.variant, Options{Set: tc.set})
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v %v: got %v, want %q", tc.variant, tc.set, err, tc.want)
		}
	}
}

func TestAPlaceThatIsNeverReachedIsAnError(t *testing.T) {
	sc := parse(t, head+`
variant v expect no-violation
client A: acquire; release
fault crash A before SETNX
expect A.release = ok
`)
	_, err := Run(t.Context(), sc, "v", Options{})
	want := `test.scn:8:1: variant v never reaches this place: A does not send SETNX; it sends SET, release.lua: did you mean "SET"?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAFaultOfAStoreThatIsNotThereIsAnError(t *testing.T) {
	for _, fault := range []string{"jump redis by 5s at 1s", "offset redis by 5s", "partition A redis from 1s to 2s"} {
		sc := parse(t, head+`
variant v kind=local-mutex expect no-violation
client A: acquire; work 100ms; release
fault `+fault+`
expect A.release = ok
`)
		_, err := Run(t.Context(), sc, "v", Options{})
		if want := "test.scn:8:1: variant v has no redis: its lock does not live in a store"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", fault, err, want)
		}
	}
}

func TestWhatALockWithoutAStoreDoesNotHaveIsAnError(t *testing.T) {
	for name, tc := range map[string]struct{ lines, want string }{
		"a time to live": {
			"expect ttl at 10ms = gone",
			"test.scn:8:8: variant v has no time to live: its lock does not live in a store",
		},
		"a time to live in a measure": {
			"measure left = ttl at 10ms - A.acquire.took",
			"test.scn:8:16: variant v has no time to live: its lock does not live in a store",
		},
		"a resource that the store keeps": {
			"resource stock=1\nparam resource=versioned",
			"test.scn:8:10: variant v has no store that keeps stock: its lock does not live in a store",
		},
	} {
		t.Run(name, func(t *testing.T) {
			sc := parse(t, head+`
variant v kind=local-mutex expect no-violation
client A: acquire; work 100ms; release
`+tc.lines+`
expect A.release = ok
`)
			if _, err := Run(t.Context(), sc, "v", Options{}); err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestASessionCannotEndWhereNobodyKeepsSessions(t *testing.T) {
	sc := parse(t, head+`
variant v expect no-violation
client A: acquire; work 100ms; release
fault expire A at 10ms
expect A.release = ok
`)
	_, err := Run(t.Context(), sc, "v", Options{})
	want := `test.scn:8:1: A cannot suffer the fault "expire": variant v has no store that keeps sessions`
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestALockMayHaveAQuoteInItsName(t *testing.T) {
	for store, kind := range map[string]string{"postgres": "rowlock", "mysql": "rowlock", "sqlite": "sqlite/record"} {
		sc := parse(t, `title test
store `+store+`
lock don't'
variant v kind=`+kind+` expect no-violation
client A: acquire; work 100ms; release
expect A.release = ok
`)
		if r, err := Run(t.Context(), sc, "v", Options{}); err != nil || !r.OK() {
			t.Errorf("%s: %v %v", store, err, r)
		}
	}
}

// Who waits is told by the code that asks for the lock, whatever the step is
// called.
func TestWaitersCountWhateverTheyAreDoing(t *testing.T) {
	for _, steps := range []string{"acquire; work 100ms; release", "do 100ms"} {
		mustRun(t, `
variant v expect no-violation
client A: `+steps+`
client B: at 10ms `+steps+`
expect waiting at 5ms = 0
expect waiting at 50ms = 1
expect waiting at 150ms = 0
`)
	}
}

func TestAWaiterThatSendsNothingCountsToo(t *testing.T) {
	mustRun(t, `
check no-deadlock
param bound=1s
variant v kind=local-mutex expect violation no-deadlock
client A: acquire; at 10ms acquire
expect waiting at 50ms = 1
expect violation[no-deadlock].at = 1010ms
`)
}

func TestTheDifferenceOfNumbersIsANumber(t *testing.T) {
	r := mustRun(t, `
variant v expect no-violation
client A: acquire; work 100ms; release
measure sends = A.sends[GET] - A.sends[SET]
measure time = A.release.start - A.acquire.start
expect A.release = ok
`)
	if got := r.Measure("sends") + " " + r.Measure("time"); got != "-1 102ms" {
		t.Errorf("measured %s", got)
	}
}

func TestARunThatNeverEndsNamesTheLimit(t *testing.T) {
	sc := parse(t, `title test
store redis
lock lock:x
variant v expect no-violation
client A: acquire; fail
expect A.acquire = ok
`)
	_, err := Run(t.Context(), sc, "v", Options{Limits: kernel.Limits{Time: time.Hour}})
	var limit *kernel.LimitError
	if !errors.As(err, &limit) || limit.Limit != "virtual time" {
		t.Errorf("got %v", err)
	}
}

func TestStepsAfterARefusalAreSkipped(t *testing.T) {
	r := mustRun(t, `
variant v expect no-violation
client A: acquire; work 500ms; release
client B: at 100ms try; work 1s; release; at 700ms try; release
expect B.try = not-acquired
expect B.work = skipped
expect B.release = skipped
expect B.try#2 = ok
expect B.release#2 = ok
`)
	if w := r.Trace.At(r.Trace.Len()); w.Actors[0].State != trace.StateDone {
		t.Errorf("A is %s at the end", w.Actors[0].State)
	}
}

func TestExecutedLinesLieInImpl(t *testing.T) {
	r := mustRun(t, `
variant v expect no-violation
client A: acquire; work 500ms; release
expect A.release = ok
`)
	for i := 1; i <= r.Trace.Len(); i++ {
		e := r.Trace.Event(i)
		if e.Msg != 0 && !strings.HasPrefix(e.Source.File, "impl/redislock/") {
			t.Errorf("step %d (%s %s): %v", i, e.Kind, e.Text, e.Source)
		}
	}
}

func BenchmarkDelMisDelete(b *testing.B) {
	text, err := os.ReadFile("../../scenarios/redis/02-del-mis-delete.scn")
	if err != nil {
		b.Fatal(err)
	}
	sc, err := script.Parse("02-del-mis-delete.scn", text)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := RunAll(b.Context(), sc, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
