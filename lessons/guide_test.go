package lessons

import (
	"regexp"
	"slices"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
)

// lessonLink is the ID of a lesson in a text.
var lessonLink = regexp.MustCompile(`\b[a-z]+/\d\d-[a-z0-9-]+`)

func checkLinks(t *testing.T, where, text string) {
	t.Helper()
	for _, id := range lessonLink.FindAllString(text, -1) {
		if !slices.Contains(scenarios.List(), id) {
			t.Errorf("%s: no lesson %s", where, id)
		}
	}
}

func TestGlossaryIsTheSameInEveryLanguage(t *testing.T) {
	var want []string
	for _, lang := range Langs {
		terms, err := Glossary(lang)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, term := range terms {
			ids = append(ids, term.ID)
			if term.Name == "" || term.Text == "" {
				t.Errorf("%s: %+v is not complete", lang, term)
			}
			checkLinks(t, string(lang)+" "+term.ID, term.Text)
		}
		if want == nil {
			want = ids
		}
		if !slices.Equal(ids, want) || len(ids) < 30 {
			t.Errorf("%s has %q, the first language %q", lang, ids, want)
		}
	}
}

func TestGuideLeadsSomewhereInEveryLanguage(t *testing.T) {
	var want []string
	for _, lang := range Langs {
		questions, err := Guide(lang)
		if err != nil {
			t.Fatal(err)
		}
		var ids, shape []string
		for _, q := range questions {
			ids = append(ids, q.ID)
		}
		reached := map[string]bool{GuideStart: true}
		for _, q := range questions {
			if q.Title == "" || q.Text == "" || len(q.Answers) < 2 {
				t.Errorf("%s: question %s is not complete", lang, q.ID)
			}
			checkLinks(t, string(lang)+" "+q.ID, q.Text)
			for _, a := range q.Answers {
				shape = append(shape, q.ID+">"+a.Next+a.Lesson)
				reached[a.Next] = true
				if a.Lesson != "" && !slices.Contains(scenarios.List(), a.Lesson) {
					t.Errorf("%s: question %s leads to no lesson %q", lang, q.ID, a.Lesson)
				}
				if a.Lesson == "" && !slices.Contains(ids, a.Next) {
					t.Errorf("%s: question %s leads to no question %q", lang, q.ID, a.Next)
				}
			}
		}
		for _, id := range ids {
			if !reached[id] {
				t.Errorf("%s: nothing leads to question %s", lang, id)
			}
		}
		if want == nil {
			want = shape
		}
		if !slices.Equal(shape, want) {
			t.Errorf("%s leads elsewhere than the first language:\n%q\n%q", lang, shape, want)
		}
	}
}
