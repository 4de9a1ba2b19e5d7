package engine

import "testing"

// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
// says what the hash tag of a key is.
func TestDerivedNamesShareTheSlotOfTheKey(t *testing.T) {
	for key, want := range map[string]string{
		"order:1":        "{order:1}",
		"{user}:order":   "{user}:order", // its tag is user, with any suffix
		"a{b}c{d}":       "a{b}c{d}",
		"order{":         "{order{}",
		"one:{two}three": "one:{two}three",
	} {
		if got := sameSlot(key); got != want {
			t.Errorf("sameSlot(%q) = %q, want %q", key, got, want)
		}
	}
}
