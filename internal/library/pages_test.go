package library_test

import (
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/tui"
)

func TestPagesAreThereInEveryLanguage(t *testing.T) {
	lib := library.New(nil)
	for lang, term := range map[tui.Lang]string{tui.English: "## ", tui.Chinese: "租约"} {
		if got := lib.Glossary(lang); !strings.Contains(got, term) {
			t.Errorf("%s: the glossary is %.80q", lang, got)
		}
		questions := lib.Guide(lang)
		if len(questions) < 5 || len(questions[0].Answers) < 2 || questions[0].Title == "" {
			t.Errorf("%s: the guide has %d questions", lang, len(questions))
		}
	}
}
