package lessons

import (
	"slices"
	"strings"
	"testing"
)

const complete = `# A title

A question
over two lines?

## what

What.

` + "```sh\n## no heading, but a comment\n```" + `

## why

Why.

## instead

Instead.

## remember

- one
- two

## source

https://example.org

## mark start

The beginning.

## mark end

The end.

## mark end variant=a,b

Another end.
`

func TestParse(t *testing.T) {
	l, err := Parse("l.md", []byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	if l.Title != "A title" || l.Question != "A question over two lines?" {
		t.Errorf("title %q, question %q", l.Title, l.Question)
	}
	if want := "What.\n\n```sh\n## no heading, but a comment\n```"; l.Section("what") != want {
		t.Errorf("section what is %q", l.Section("what"))
	}
	if l.Intro() != "The beginning." {
		t.Errorf("intro %q", l.Intro())
	}
	if got := l.Marks(); !slices.Equal(got, []string{"start", "end"}) {
		t.Errorf("marks %q", got)
	}
}

func TestNarrationOfAVariantWins(t *testing.T) {
	l, err := Parse("l.md", []byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mark, variant, want string
		ok                  bool
	}{
		{"end", "a", "Another end.", true},
		{"end", "b", "Another end.", true},
		{"end", "c", "The end.", true},
		{"middle", "a", "", false},
	} {
		if got, ok := l.Narration(tt.mark, tt.variant); got != tt.want || ok != tt.ok {
			t.Errorf("Narration(%q, %q) = %q, %v", tt.mark, tt.variant, got, ok)
		}
	}
}

func TestQuestionInChineseIsJoinedWithoutBlanks(t *testing.T) {
	l, err := Parse("l.md", []byte(strings.Replace(complete, "A question\nover", "锁在哪里？\n谁", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if want := "锁在哪里？谁 two lines?"; l.Question != want {
		t.Errorf("question %q, want %q", l.Question, want)
	}
}

func TestParseCarriageReturns(t *testing.T) {
	l, err := Parse("l.md", []byte(strings.ReplaceAll(complete, "\n", "\r\n")))
	if err != nil || l.Section("why") != "Why." {
		t.Errorf("lesson %+v, error %v", l, err)
	}
}

func TestParseNamesEveryMistake(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"no title", "# A title\n", "", []string{"l.md:1: text before the title"}},
		{"two titles", "## why", "# Why\n\n## why", []string{"l.md:14: a second title"}},
		{"no question", "A question\nover two lines?\n", "", []string{"l.md:1: the title is followed by one paragraph"}},
		{"two paragraphs", "A question\n", "A question\n\n", []string{"l.md:1: the title is followed by one paragraph"}},
		{"unknown section", "## why", "## wy", []string{
			`l.md:14: unknown section "wy": did you mean "why"?`, `l.md:1: section "why" is missing`,
		}},
		{"section twice", "## why", "## what", []string{`l.md:14: section "what" is in line 6 already`}},
		{"empty section", "Instead.\n", "", []string{`l.md:18: "instead" has no text`}},
		{"nothing to remember", "- one\n- two", "one", []string{"l.md:22: 0 points to remember"}},
		{"too much to remember", "- two", "- 2\n- 3\n- 4", []string{"l.md:22: 4 points to remember"}},
		{"no start", "## mark start", "## mark begin", []string{"l.md:1: the narration of the start is missing"}},
		{"start of a variant", "## mark start", "## mark start variant=a", []string{"l.md:31: the start is told the same way"}},
		{"mark without a name", "## mark end\n", "## mark\n", []string{`l.md:35: expected "mark NAME"`}},
		{"mark with rubbish", "variant=a,b", "a,b", []string{`l.md:39: expected "mark NAME"`}},
		{"mark with no variants", "variant=a,b", "variant=", []string{`l.md:39: expected "mark NAME"`}},
		{"mark twice", "variant=a,b", "", []string{`l.md:39: mark "end" has a text for this already`}},
		{"variant twice", "Another end.", "X\n\n## mark end variant=b\n\nY", []string{`l.md:43: mark "end" has a text`}},
		{"empty mark", "The end.\n", "", []string{`l.md:35: "mark end" has no text`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := strings.Replace(complete, tt.old, tt.new, 1)
			if src == complete {
				t.Fatal("the case changes nothing")
			}
			_, err := Parse("l.md", []byte(src))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error:\n%v\nwant: %s", err, want)
				}
			}
		})
	}
}

func TestBodyHasTheHeadingsOfItsLanguage(t *testing.T) {
	l, err := Parse("l.md", []byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[Lang]string{
		English: "## What to do instead\n\nInstead.\n\n## Remember\n\n- one",
		Chinese: "## 应该怎么做\n\nInstead.\n\n## 记住\n\n- one",
	} {
		l.Lang = lang
		if !strings.Contains(l.Body(), want) {
			t.Errorf("the body in %s:\n%s", lang, l.Body())
		}
	}
}

func TestLanguageOfTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		all, messages, lang string
		want                Lang
	}{
		{"", "", "", English},
		{"", "", "zh_CN.UTF-8", Chinese},
		{"", "", "zh", Chinese},
		{"", "", "ZH-hans", Chinese},
		{"", "", "de_DE.UTF-8", English},
		{"", "zh_TW", "en_US.UTF-8", Chinese},
		{"C", "zh_CN", "zh_CN", English},
		{"zh_CN.UTF-8", "en_US", "en_US", Chinese},
		{"", "", "zhongwen", English},
	} {
		env := map[string]string{"LC_ALL": tt.all, "LC_MESSAGES": tt.messages, "LANG": tt.lang}
		if got := FromEnvironment(func(k string) string { return env[k] }); got != tt.want {
			t.Errorf("LC_ALL=%q LC_MESSAGES=%q LANG=%q gives %s, want %s", tt.all, tt.messages, tt.lang, got, tt.want)
		}
	}
}

func TestUnknownLanguageIsNamed(t *testing.T) {
	_, err := ParseLang("fr")
	if want := `unknown language "fr": there are en, zh`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
