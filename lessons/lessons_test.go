package lessons

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/check"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// maxNarration is how long, in characters, a narration can be to be read beside
// the timeline.
const maxNarration = 480

// files lists the lessons that have a text in a language.
func files(t *testing.T, lang Lang) []string {
	t.Helper()
	names, err := fs.Glob(texts, string(lang)+"/*/*"+ext)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(n, string(lang)+"/"), ext)
	}
	return names
}

// each runs a test for every lesson that has a text.
func each(t *testing.T, lang Lang, test func(*testing.T, *Lesson)) {
	t.Helper()
	for _, id := range files(t, lang) {
		t.Run(string(lang)+"/"+id, func(t *testing.T) {
			l, err := Load(id, lang)
			if err != nil {
				t.Fatal(err)
			}
			test(t, l)
		})
	}
}

func TestEveryScenarioHasALessonInEveryLanguage(t *testing.T) {
	for _, lang := range Langs {
		have, want := files(t, lang), scenarios.List()
		for _, id := range want {
			if !slices.Contains(have, id) {
				t.Errorf("lessons/%s/%s%s is missing", lang, id, ext)
			}
		}
		for _, id := range have {
			if !slices.Contains(want, id) {
				t.Errorf("lessons/%s/%s%s has no scenario", lang, id, ext)
			}
		}
	}
}

func TestEveryScenarioHasAChapter(t *testing.T) {
	var listed []string
	for _, c := range Chapters() {
		for _, lang := range Langs {
			if c.Title(lang) == "" {
				t.Errorf("chapter %s has no title in %s", c.ID, lang)
			}
		}
		if len(c.Lessons()) == 0 {
			t.Errorf("chapter %s is empty", c.ID)
		}
		listed = append(listed, c.Lessons()...)
	}
	slices.Sort(listed)
	if want := scenarios.List(); !slices.Equal(listed, want) {
		t.Errorf("the chapters list %q, the scenarios are %q", listed, want)
	}
}

func TestLanguagesTellTheSame(t *testing.T) {
	each(t, English, func(t *testing.T, en *Lesson) {
		zh, err := Load(en.ID, Chinese)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := shape(en), shape(zh); !slices.Equal(a, b) {
			t.Errorf("the narrations differ:\nen %q\nzh %q", a, b)
		}
	})
}

// shape is what a lesson tells about, without the words.
func shape(l *Lesson) []string {
	var out []string
	for _, m := range l.marks {
		out = append(out, fmt.Sprintf("%s %q", m.name, m.variants))
	}
	return out
}

func TestNarrationFitsTheScenario(t *testing.T) {
	for _, lang := range Langs {
		each(t, lang, func(t *testing.T, l *Lesson) {
			sc, err := scenarios.Load(l.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range sc.Marks {
				for _, v := range variantsOf(sc, m.Name.Text) {
					if _, ok := l.Narration(m.Name.Text, v); !ok {
						t.Errorf("mark %s of variant %s has no narration", m.Name.Text, v)
					}
				}
			}
			for _, m := range l.marks {
				checkNarration(t, sc, m)
			}
		})
	}
}

func checkNarration(t *testing.T, sc *script.Scenario, m mark) {
	t.Helper()
	if n := utf8.RuneCountInString(m.text); n > maxNarration {
		t.Errorf("the narration of %s %v has %d characters: at most %d", m.name, m.variants, n, maxNarration)
	}
	if m.name == Start {
		return
	}
	possible := variantsOf(sc, m.name)
	if len(possible) == 0 {
		t.Errorf("the scenario has no mark %q", m.name)
	}
	for _, v := range m.variants {
		if !slices.Contains(possible, v) {
			t.Errorf("mark %s has a narration for variant %q, to which it does not apply", m.name, v)
		}
	}
}

// variantsOf are the variants in which a mark of the scenario is set.
func variantsOf(sc *script.Scenario, name string) []string {
	var out []string
	for _, m := range sc.Marks {
		if m.Name.Text != name {
			continue
		}
		for _, v := range sc.Variants {
			applies := func(w script.Word) bool { return w.Text == v.Name.Text }
			if len(m.When) == 0 || slices.ContainsFunc(m.When, applies) {
				out = append(out, v.Name.Text)
			}
		}
	}
	return out
}

func TestChineseIsChinese(t *testing.T) {
	each(t, Chinese, func(t *testing.T, l *Lesson) {
		for _, text := range allTexts(l) {
			if !strings.ContainsFunc(text, isHan) {
				t.Errorf("%q has no Chinese character", text)
			}
		}
	})
}

func TestEnglishIsEnglish(t *testing.T) {
	each(t, English, func(t *testing.T, l *Lesson) {
		for _, text := range allTexts(l) {
			if strings.ContainsFunc(text, isHan) {
				t.Errorf("%q has a Chinese character", text)
			}
		}
	})
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func allTexts(l *Lesson) []string {
	out := []string{l.Title, l.Question}
	for _, key := range Sections() {
		out = append(out, l.Section(key))
	}
	for _, m := range l.marks {
		out = append(out, m.text)
	}
	return out
}

func TestSourcesHaveAnAddress(t *testing.T) {
	for _, lang := range Langs {
		each(t, lang, func(t *testing.T, l *Lesson) {
			if !strings.Contains(l.Section("source"), "https://") {
				t.Error("the source has no https address")
			}
		})
	}
}

func TestInvariantsHaveTitles(t *testing.T) {
	known := map[string]bool{}
	for _, i := range check.All() {
		known[i.Name] = true
		for _, lang := range Langs {
			if invariants[i.Name][lang] == "" {
				t.Errorf("invariant %s has no title in %s", i.Name, lang)
			}
		}
	}
	for name := range invariants {
		if !known[name] {
			t.Errorf("there is a title for %s, which is no invariant", name)
		}
	}
	if got := Invariant("no-such-thing", Chinese); got != "no-such-thing" {
		t.Errorf("an unknown invariant is titled %q", got)
	}
}

func TestLoadSaysWhatIsMissing(t *testing.T) {
	_, err := Load("redis/99-nothing", Chinese)
	want := "no text of lesson redis/99-nothing in language zh: " + fs.ErrNotExist.Error()
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLessonsLeadToTheCodeAndToTheirNeighbours(t *testing.T) {
	for _, lang := range Langs {
		each(t, lang, func(t *testing.T, l *Lesson) {
			text := strings.Join(allTexts(l), "\n")
			if !strings.Contains(text, "impl/") {
				t.Error("names no package of impl/")
			}
			others := neighbour.FindAllString(text, -1)
			if !slices.ContainsFunc(others, func(id string) bool { return !strings.HasPrefix(l.ID, id) }) {
				t.Error("names no other lesson")
			}
		})
	}
}

// neighbour is the ID of a lesson, or its beginning.
var neighbour = regexp.MustCompile(`\b[a-z]+/\d\d(-[a-z0-9-]+)?`)
