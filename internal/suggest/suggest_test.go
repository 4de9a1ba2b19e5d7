package suggest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	verbs := []string{"acquire", "try", "release", "renew", "work", "read", "write"}
	ids := []string{"redis/01-setnx-expire-crash", "redis/02-del-mis-delete", "why/01-local-mutex"}
	for _, tt := range []struct {
		name, word string
		known      []string
		want       string
	}{
		{"letter left out", "aquire", verbs, "acquire"},
		{"letter too many", "releasse", verbs, "release"},
		{"neighbours swapped", "raed", verbs, "read"},
		{"wrong case", "RELEASE", verbs, "release"},
		{"short word", "tri", verbs, "try"},
		{"nearest of several", "wrte", verbs, "write"},
		{"only part of an id", "redis/02", ids, "redis/02-del-mis-delete"},
		{"part in the middle", "local-mutex", ids, "why/01-local-mutex"},
		{"part that fits two", "redis/0", ids, ""},
		{"nothing like it", "explode", verbs, ""},
		{"one letter is never a slip of another", "A", []string{"B"}, ""},
		{"empty", "", verbs, ""},
		{"nothing known", "try", nil, ""},
		{"garbage", strings.Repeat("a", 1000), verbs, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Nearest(tt.word, tt.known)
			if got != tt.want && ok || ok != (tt.want != "") {
				t.Errorf("Nearest(%q) = %q, %v; want %q", tt.word, got, ok, tt.want)
			}
		})
	}
}

func TestDidYouMean(t *testing.T) {
	known := []string{"acquire"}
	if got, want := DidYouMean("aquire", known), `: did you mean "acquire"?`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := DidYouMean("zzz", known); got != "" {
		t.Errorf("got %q for a word that is like no other", got)
	}
}

// The early exit must not change any answer within the limit.
func TestDistanceWithinLimitIsExact(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 9, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		exact := distance(a, b, 100)
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		got := distance(a, b, limit)
		if exact <= limit && got != exact {
			t.Errorf("distance(%q, %q, %d) = %d, exactly %d", string(a), string(b), limit, got, exact)
		}
		if exact > limit && got <= limit {
			t.Errorf("distance(%q, %q, %d) = %d, but it is %d", string(a), string(b), limit, got, exact)
		}
		if back := distance(b, a, 100); back != exact {
			t.Errorf("distance is not symmetric: %d and %d", exact, back)
		}
	})
}
