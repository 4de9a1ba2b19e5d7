package cells

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFitCutsByCells(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     string
	}{
		{"fits", "lock", 4, "lock"},
		{"cut", "lock:order", 6, "lock:…"},
		{"wide characters fit", "分布式锁", 8, "分布式锁"},
		{"a wide character is not split", "分布式锁", 6, "分布…"},
		{"a combining mark stays with its letter", "e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"no tail after a tail", "SET … B#1", 6, "SET …"},
		{"no blank before the tail", "the lock", 5, "the…"},
		{"no room for the tail", "lock", 0, ""},
		{"only the tail fits", "lock", 1, "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fit(c.in, c.width, "…"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFitMiddleKeepsBothEnds(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"lock:report", 11, "lock:report"},
		{"lock:report:token", 11, "lock:…token"},
		{"lock:report:token", 10, "lock…token"},
		{"分布式锁", 7, "分…式锁"},
		{"分布式锁", 6, "分…锁"},
		{"锁", 1, "…"},
		{"lock", 2, "l…"},
		{"lock", 0, ""},
	} {
		if got := FitMiddle(c.in, c.width, "…"); got != c.want {
			t.Errorf("%q in %d: got %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestChooseTakesTheFirstThatFits(t *testing.T) {
	for width, want := range map[int]string{12: "SET lock:a B", 11: "SET … B", 7: "SET … B", 4: "SET", 2: "S…"} {
		if got := Choose(width, "…", "SET lock:a B", "SET … B", "SET"); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
}

func TestPutNeutralisesWhatWouldSteerTheTerminal(t *testing.T) {
	c := NewCanvas(20, 1, nil)
	c.Area().Put(0, 0, "a\x1b[2Jb\u009bc\u202ed\xffe", 0)
	if got, want := c.String(nil), "a?[2Jb?cd?e"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOverwritingHalfOfAWideCharacterBlanksTheOther(t *testing.T) {
	for _, c := range []struct {
		name string
		x    int
		text string
		want string
	}{
		{"left half", 2, "x", "分x 式"},
		{"right half", 3, "x", "分 x式"},
		{"two halves", 1, "锁", " 锁 式"},
	} {
		t.Run(c.name, func(t *testing.T) {
			canvas := NewCanvas(6, 1, nil)
			canvas.Area().Put(0, 0, "分布式", 0)
			canvas.Area().Put(c.x, 0, c.text, 0)
			if got := canvas.String(nil); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAreaClips(t *testing.T) {
	canvas := NewCanvas(8, 3, nil)
	inner := canvas.Area().Sub(2, 1, 4, 1)
	inner.Put(-1, 0, "锁abcdef", 0)
	inner.Put(0, -1, "above", 0)
	inner.Put(0, 1, "below", 0)
	inner.Put(3, 0, "锁", 0)
	if got, want := canvas.String(nil), "\n   abc\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if sub := inner.Sub(3, 0, 99, 99); sub.Width() != 1 || sub.Height() != 1 {
		t.Errorf("a part reaches beyond its whole: %d×%d", sub.Width(), sub.Height())
	}
}

func TestStringSwitchesLooksOnlyWhereTheyChange(t *testing.T) {
	canvas := NewCanvas(6, 1, nil)
	a := canvas.Area()
	a.Put(0, 0, "ab", 1)
	a.Put(2, 0, "cd", 0)
	got := canvas.String(func(Look) string { return "<1>" })
	if want := "<1>ab\x1b[mcd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"words", "the lock is gone", 9, []string{"the lock", "is gone"}},
		{"exact", "the lock", 8, []string{"the lock"}},
		{"Chinese", "锁已经不在了", 6, []string{"锁已经", "不在了"}},
		{"no line begins with a full stop", "锁不在了。", 8, []string{"锁不在", "了。"}},
		{"mixed", "在 300 ms 时失去", 9, []string{"在 300 ms", "时失去"}},
		{"long word", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"line feed", "a\nb", 9, []string{"a", "b"}},
		{"empty", "", 9, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, l := range Wrap(Line{{Text: c.in}}, c.width) {
				got = append(got, l.Text())
			}
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWrapKeepsLooks(t *testing.T) {
	lines := Wrap(Line{{"delete the ", 0}, {"wrong lock", Bold}}, 9)
	if len(lines) != 3 {
		t.Fatalf("got %d lines: %v", len(lines), lines)
	}
	if got := lines[1]; len(got) != 2 || got[0] != (Span{"the ", 0}) || got[1] != (Span{"wrong", Bold}) {
		t.Errorf("got %v", got)
	}
}

func TestWrapLosesNothingAndStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab c锁。，“（e\u0301-:/\x1b\t"))).Draw(t, "text")
		width := rapid.IntRange(2, 12).Draw(t, "width")
		var joined strings.Builder
		for _, l := range Wrap(Line{{Text: text}}, width) {
			if w := l.Width(); w > width {
				t.Fatalf("line %q takes %d of %d cells", l.Text(), w, width)
			}
			joined.WriteString(l.Text())
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got, want := squeeze(joined.String()), squeeze(text); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestLineFitKeepsLooks(t *testing.T) {
	line := Line{{"A: ", Bold}, {"DEL", 0}, {" 分布", 1}}
	for _, c := range []struct {
		width int
		want  Line
	}{
		{11, line},
		{10, Line{{"A: ", Bold}, {"DEL", 0}, {" 分…", 1}}},
		{6, Line{{"A: ", Bold}, {"DE…", 0}}},
		{3, Line{{"A:…", Bold}}},
	} {
		got := line.Fit(c.width, "…")
		if got.Width() > c.width || len(got) != len(c.want) {
			t.Fatalf("width %d: got %v, want %v", c.width, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("width %d: got %v, want %v", c.width, got, c.want)
			}
		}
	}
}
