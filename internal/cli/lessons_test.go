package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
)

func TestLessonsAreListedInEveryLanguage(t *testing.T) {
	for lang, titles := range map[string][]string{
		"en": {"Why a distributed lock\n", "  redis/02-del-mis-delete ", "  DEL deletes another's lock\n"},
		"zh": {"为什么需要分布式锁\n", "  redis/02-del-mis-delete ", "  DEL 删掉了别人的锁\n"},
	} {
		got := lockstep("lessons", "--lang", lang)
		if got.status != statusOK || got.stderr != "" {
			t.Errorf("status %d, stderr %q", got.status, got.stderr)
		}
		for _, want := range append(titles, scenarios.List()...) {
			if strings.Count(got.stdout, want) != 1 {
				t.Errorf("%q is not there once in\n%s", want, got.stdout)
			}
		}
		if plain := lockstep("--plain", "--lang", lang); plain != got {
			t.Errorf("lockstep --plain differs:\n%s", plain.stdout)
		}
	}
}

func TestLessonsJSON(t *testing.T) {
	var doc struct {
		Version  int    `json:"version"`
		Lang     string `json:"lang"`
		Chapters []struct {
			Title   string `json:"title"`
			Lessons []struct {
				ID       string `json:"id"`
				Title    string `json:"title"`
				Question string `json:"question"`
				Variants []struct {
					Name   string `json:"name"`
					Broken bool   `json:"broken"`
				} `json:"variants"`
			} `json:"lessons"`
		} `json:"chapters"`
	}
	got := lockstep("lessons", "--format", "json", "--lang", "zh")
	if got.status != statusOK || got.stderr != "" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	decode(t, got.stdout, &doc)
	if doc.Version != 1 || doc.Lang != "zh" {
		t.Errorf("version %d, language %q", doc.Version, doc.Lang)
	}
	var ids []string
	for _, c := range doc.Chapters {
		for _, l := range c.Lessons {
			ids = append(ids, l.ID)
			sc, err := scenarios.Load(l.ID)
			if err != nil {
				t.Fatal(err)
			}
			broken := len(sc.Variants[0].Violates) > 0
			if l.Title == "" || len(l.Variants) == 0 || l.Variants[0].Broken != broken {
				t.Errorf("lesson %+v", l)
			}
		}
	}
	slices.Sort(ids)
	if !slices.Equal(ids, scenarios.List()) {
		t.Errorf("lessons %q", ids)
	}
}
