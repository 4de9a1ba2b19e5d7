package library_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

const own = `title My own
store redis
lock k
variant good expect no-violation
variant bad kind=redis/plain-delete ttl=100ms expect violation mutual-exclusion
client A: acquire; work 200ms; release
expect A.acquire = ok
mark granted at 2ms
`

func parse(t *testing.T) *script.Scenario {
	t.Helper()
	sc, err := script.Parse("mine.scn", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func TestChaptersHoldEveryScenario(t *testing.T) {
	for _, lang := range []tui.Lang{tui.English, tui.Chinese} {
		var ids []string
		for _, c := range library.New(nil).Chapters(lang) {
			for _, l := range c.Lessons {
				ids = append(ids, l.ID)
				if c.Title == "" || l.Title == "" || l.Question == "" || l.Summary == "" || len(l.Variants) == 0 {
					t.Errorf("incomplete in %s: chapter %q, lesson %+v", lang, c.Title, l)
				}
			}
		}
		slices.Sort(ids)
		if !slices.Equal(ids, scenarios.List()) {
			t.Errorf("lessons %q", ids)
		}
	}
}

func TestOwnScenarioComesFirst(t *testing.T) {
	lib := library.New(parse(t))
	for lang, want := range map[tui.Lang]string{tui.English: "Your scenario", tui.Chinese: "你的场景"} {
		first := lib.Chapters(lang)[0]
		if first.Title != want || len(first.Lessons) != 1 || first.Lessons[0].ID != "mine.scn" || first.Lessons[0].Title != "My own" {
			t.Errorf("first chapter in %s: %+v", lang, first)
		}
		if got := first.Lessons[0].Variants; !slices.Equal(got, []tui.Variant{{Name: "good"}, {Name: "bad", Broken: true}}) {
			t.Errorf("variants %+v", got)
		}
	}
}

func TestOpenRunsALesson(t *testing.T) {
	rec, err := library.New(nil).Open(t.Context(), "redis/02-del-mis-delete", "compare-and-delete")
	if err != nil {
		t.Fatal(err)
	}
	if h := rec.Trace.Header(); h.Variant != "compare-and-delete" || len(rec.Trace.Violations()) != 0 {
		t.Errorf("variant %s with %d violations", h.Variant, len(rec.Trace.Violations()))
	}
	for _, lang := range []tui.Lang{tui.English, tui.Chinese} {
		text := rec.Texts[lang]
		for _, m := range rec.Trace.Marks() {
			if text.Narration[m.Name].Body == "" {
				t.Errorf("no narration of %s in %s", m.Name, lang)
			}
		}
		if text.Lesson == "" || text.Invariants["mutual-exclusion"] == "" {
			t.Errorf("texts in %s are incomplete", lang)
		}
	}
	del := rec.Texts[tui.English].Narration["a-releases"].Body
	if !strings.Contains(del, "The script compares") {
		t.Errorf("the narration is that of another variant: %s", del)
	}
}

func TestOpenTakesTheFirstVariant(t *testing.T) {
	rec, err := library.New(parse(t)).Open(t.Context(), "mine.scn", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Trace.Header().Variant; got != "good" {
		t.Errorf("variant %s", got)
	}
	if text := rec.Texts[tui.Chinese]; text.Lesson != "变体 `good` 符合全部预期。" || len(text.Narration) != 0 || text.Invariants["mutual-exclusion"] != "互斥" {
		t.Errorf("texts of an own scenario: %+v", text)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	lib := library.New(nil)
	for _, tt := range []struct{ id, variant, want string }{
		{"mine.scn", "", `no scenario "mine.scn"`},
		{"redis/02-del-mis-delete", "dell", `no variant "dell", it has: del, compare-and-delete: did you mean "del"?`},
	} {
		if _, err := lib.Open(t.Context(), tt.id, tt.variant); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%q, %q) gives the error %v; want %s", tt.id, tt.variant, err, tt.want)
		}
	}
}

func TestEverySourceOfARunCanBeShown(t *testing.T) {
	lib := library.New(nil)
	rec, err := lib.Open(t.Context(), "redis/02-del-mis-delete", "")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i := 1; i <= rec.Trace.Len(); i++ {
		file := rec.Trace.Event(i).Source.File
		if file == "" {
			continue
		}
		shown++
		if _, err := lib.Source(file); err != nil {
			t.Error(err)
		}
	}
	if shown == 0 {
		t.Error("no step has a source")
	}
}

func TestALessonThatComparesShowsTheTable(t *testing.T) {
	rec, err := library.New(nil).Open(t.Context(), "choose/01-holder-crash", "")
	if err != nil {
		t.Fatal(err)
	}
	for lang, text := range rec.Texts {
		if strings.Contains(text.Lesson, "{{") || !strings.Contains(text.Lesson, "| zookeeper |") {
			t.Errorf("%s: no table:\n%s", lang, text.Lesson)
		}
	}
}
