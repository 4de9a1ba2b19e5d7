package cli

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
)

// mine is a scenario of the user's own in which everything is as expected.
const mine = `title One lock, two clients
store redis
lock k
param ttl=300ms work=400ms renew=off
variant del kind=redis/plain-delete expect violation only-owner-releases
variant script expect no-violation
client A: acquire; work $work; release
client B: at 350ms acquire ttl=5s; work 1s; release
expect A.release = not-held
expect owner at 300ms = A
`

// forever is one that does not come to an end by itself.
const forever = `title It never ends
store redis
lock k
param ttl=100s
until 9000h
variant a expect no-violation
client A: acquire; work 9000h; release
expect A.acquire = ok
`

func TestRunWritesEveryVariant(t *testing.T) {
	got := lockstep("run", "redis/02")
	if got.status != statusOK || got.stderr != "" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	for _, want := range []string{
		"redis/02-del-mis-delete: DEL deletes another's lock\nVariant del, which has to break: mutual-exclusion, only-owner-releases\n",
		"\n\nredis/02-del-mis-delete: DEL deletes another's lock\nVariant compare-and-delete, which must break nothing\n",
		"VIOLATION of mutual-exclusion: B and C believe that they hold lock:order:1\n",
		"A believes it holds lock:order:1 until 300ms\n",
		"redis: lock:order:1 belongs to B\n",
	} {
		if strings.Count(got.stdout, want) == 0 {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
}

func TestRunOneVariant(t *testing.T) {
	got := lockstep("run", "redis/02", "--variant", "compare-and-delete")
	if got.status != statusOK || strings.Contains(got.stdout, "Variant del") || strings.Contains(got.stdout, "VIOLATION") {
		t.Errorf("%+v", got)
	}
}

func TestLanguage(t *testing.T) {
	const narration = "Two clients are inside"
	en := lockstep("run", "redis/02")
	told := lockstep("run", "redis/02", "--lang", "en")
	if strings.Contains(en.stdout, narration) || !strings.Contains(told.stdout, narration) {
		t.Error("the narration depends on something else than --lang")
	}
	t.Setenv("LANG", "zh_CN.UTF-8")
	zh := lockstep("run", "redis/02")
	if !strings.Contains(zh.stdout, "A 认为自己持有 lock:order:1，直到 300ms\n") || strings.Contains(zh.stdout, "believes") {
		t.Errorf("the language of the environment is not heeded:\n%s", zh.stdout)
	}
	if got := lockstep("run", "redis/02", "--lang", "en"); got != told {
		t.Error("--lang does not win over the environment")
	}
}

func TestFailedExpectationGivesStatus1(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", strings.Replace(mine, "= not-held", "= ok", 1))
	got := lockstep("run", "mine.scn")
	want := "lockstep: not as expected: mine.scn:9 (del): A.release = ok, got not-held; and 1 more\n"
	if got.status != statusDiffers || got.stderr != want {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	if !strings.Contains(got.stdout, "  line 9, FAILED: A.release = ok; got: not-held\n  line 10, ok: owner at 300ms = A\n1 of 3 failed.\n") {
		t.Errorf("stdout:\n%s", got.stdout)
	}
	if plain := lockstep("play", "mine.scn", "--plain", "--variant", "script"); plain.status != statusDiffers {
		t.Errorf("play --plain: %+v", plain)
	}
}

func TestSurprisingViolationGivesStatus1(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", strings.Replace(mine, "expect violation only-owner-releases", "expect no-violation", 1))
	got := lockstep("run", "mine.scn", "--variant", "del")
	want := "lockstep: not as expected: mine.scn:5 (del): no-violation, got violation only-owner-releases\n"
	if got.status != statusDiffers || got.stderr != want {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
}

func TestChangedParametersMakeExpectationsNotApplicable(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", mine)
	got := lockstep("run", "mine.scn", "--set", "work=100ms")
	if got.status != statusOK || got.stderr != "" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	for _, want := range []string{
		"Changed with --set: work\n",
		"  line 9, not applicable to the changed parameters: A.release = not-held; got: ok\n",
		"the others do not apply to the changed parameters.\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	doc := decodeRun(t, lockstep("run", "mine.scn", "--set", "work=100ms", "--format", "json").stdout)
	for _, e := range doc.Variants[1].Expects {
		if applies := e.Line == 6; e.OK != applies || e.Applies != applies {
			t.Errorf("expectation %+v", e)
		}
	}
	if same := lockstep("run", "mine.scn", "--set", "work=400ms"); same != lockstep("run", "mine.scn") {
		t.Error("setting a parameter to the value that it has changes something")
	}
}

// The JSON as docs/trace-format.md describes it.
type runDoc struct {
	Version  int    `json:"version"`
	Scenario string `json:"scenario"`
	Variants []struct {
		Name    string `json:"name"`
		OK      bool   `json:"ok"`
		Expects []struct {
			Line    int    `json:"line"`
			Text    string `json:"text"`
			OK      bool   `json:"ok"`
			Applies bool   `json:"applies"`
			Got     string `json:"got"`
		} `json:"expects"`
		Violations []struct {
			Invariant string `json:"invariant"`
			Step      int    `json:"step"`
			At        int64  `json:"at_ns"`
			Reason    string `json:"reason"`
		} `json:"violations"`
		Measures []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"measures"`
		Steps []struct {
			Step   int    `json:"step"`
			At     int64  `json:"at_ns"`
			Actor  string `json:"actor"`
			Kind   string `json:"kind"`
			Text   string `json:"text"`
			Source string `json:"source"`
		} `json:"steps"`
	} `json:"variants"`
}

func decodeRun(t *testing.T, text string) runDoc {
	t.Helper()
	var doc runDoc
	decode(t, text, &doc)
	return doc
}

// decode reads exactly one JSON value without unknown fields and nulls.
func decode(t *testing.T, text string, into any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("something follows the JSON: %v", err)
	}
	if strings.Contains(text, "null") {
		t.Error("a field is null")
	}
}

var sourceForm = regexp.MustCompile(`^impl/[a-z_/]+\.(go|lua):[1-9][0-9]*$`)

func TestRunJSON(t *testing.T) {
	for _, id := range scenarios.List() {
		got := lockstep("run", id, "--format", "json")
		if got.status != statusOK || got.stderr != "" {
			t.Errorf("%s: status %d, stderr %q", id, got.status, got.stderr)
		}
		doc := decodeRun(t, got.stdout)
		if doc.Version != 1 || doc.Scenario != id || len(doc.Variants) == 0 {
			t.Errorf("version %d, scenario %q, %d variants", doc.Version, doc.Scenario, len(doc.Variants))
		}
		for _, v := range doc.Variants {
			if !v.OK || len(v.Expects) == 0 {
				t.Errorf("%s, %s: ok %v, %d expectations", id, v.Name, v.OK, len(v.Expects))
			}
			for i, s := range v.Steps {
				if s.Step != i+1 || s.Kind == "" || s.Source != "" && !sourceForm.MatchString(s.Source) {
					t.Errorf("%s, %s: step %+v", id, v.Name, s)
				}
			}
			for _, b := range v.Violations {
				if s := v.Steps[b.Step-1]; s.At != b.At || b.Reason == "" {
					t.Errorf("%s, %s: violation %+v at step %+v", id, v.Name, b, s)
				}
			}
		}
	}
}

func TestRunJSONIsTheSameInEveryLanguage(t *testing.T) {
	en := lockstep("run", "redis/02", "--format", "json", "--lang", "en")
	zh := lockstep("run", "redis/02", "--format", "json", "--lang", "zh")
	if en != zh {
		t.Error("the JSON depends on the language")
	}
}

func TestRunJSONTellsAnswers(t *testing.T) {
	doc := decodeRun(t, lockstep("run", "redis/02", "--variant", "del", "--format", "json").stdout)
	var texts []string
	for _, s := range doc.Variants[0].Steps {
		texts = append(texts, s.Kind+" "+s.Text)
	}
	for _, want := range []string{
		"send SET lock:order:1 A#1 NX PX 300",
		"exec SET lock:order:1 A#1 NX PX 300 = OK",
		"exec DEL lock:order:1 = 1",
		`return release: not-held (redislock: release "lock:order:1": lock not held)`,
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no step %q", want)
		}
	}
}

func TestBadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mistakes.scn", strings.NewReplacer("store redis", "stroe redis", "A: acquire", "A: acqire").Replace(mine))
	write(t, "one.scn", strings.Replace(mine, "work $work", "work $wrok", 1))
	write(t, "unreached.scn", mine+"fault crash A before EXPIRE\n")
	write(t, "forever.scn", forever)
	write(t, "binary.scn", "\x7fELF\x02\x01\x00")
	write(t, "large.scn", strings.Repeat("# far too much of it\n", 2<<20/21))
	for _, tt := range []struct {
		file  string
		lines []string
	}{
		{"mistakes.scn", []string{
			"lockstep: mistakes.scn: 2 mistakes",
			`mistakes.scn:2:1: unknown directive "stroe": did you mean "store"?`,
			`mistakes.scn:7:11: unknown verb "acqire": did you mean "acquire"?`,
		}},
		{"one.scn", []string{`lockstep: one.scn:7:25: unknown parameter "wrok": did you mean "work"?`}},
		{"unreached.scn", []string{"lockstep: unreached.scn:11:1: variant del never reaches this place: A does not send EXPIRE; it sends SET, DEL, PUBLISH"}},
		{"forever.scn", []string{`lockstep: forever.scn (a): the run reached its limit of 24h0m0s virtual time`}},
		{"binary.scn", []string{"lockstep: binary.scn:1:1: not a text file"}},
		{"large.scn", []string{"lockstep: large.scn:1:1: larger than 1 MiB: not a scenario"}},
	} {
		for _, command := range []string{"run", "play"} {
			got := lockstep(command, tt.file)
			lines := strings.Split(strings.TrimSuffix(got.stderr, "\n"), "\n")
			same := slices.EqualFunc(lines, tt.lines, strings.HasPrefix)
			if got.status != statusUsage || got.stdout != "" || !same {
				t.Errorf("%s %s: status %d, stdout %q, stderr\n%s", command, tt.file, got.status, got.stdout, got.stderr)
			}
		}
	}
}
