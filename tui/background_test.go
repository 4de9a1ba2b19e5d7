package tui

import (
	"slices"
	"strings"
	"testing"
)

func TestBackgroundFromTheEnvironment(t *testing.T) {
	for value, want := range map[string]background{
		"":             backgroundUnknown,
		"15":           backgroundUnknown,
		";0":           backgroundUnknown,
		"0;default":    backgroundUnknown,
		"0;16":         backgroundUnknown,
		"0;-1":         backgroundUnknown,
		"15;0":         backgroundDark,
		"7;8":          backgroundDark,
		"15;default;0": backgroundDark,
		"0;7":          backgroundLight,
		"0;15":         backgroundLight,
		"0;default;15": backgroundLight,
	} {
		if got := backgroundFrom(value); got != want {
			t.Errorf("%q: got %d, want %d", value, got, want)
		}
	}
}

// The bright colours vanish on a light background, blue on a dark one, and yellow
// on a light one even if it is not bright.
func TestColoursAreReadableOnTheBackground(t *testing.T) {
	for name, tt := range map[string]struct {
		behind  background
		avoided []string
	}{
		"unknown": {backgroundUnknown, []string{"30", "33", "34", "37", "9"}},
		"light":   {backgroundLight, []string{"33", "37", "9"}},
		"dark":    {backgroundDark, []string{"30", "34", "90"}},
	} {
		for i, sequence := range newTheme(false, true, tt.behind).sgr {
			parameters := strings.Split(strings.TrimSuffix(strings.TrimPrefix(sequence, "\x1b["), "m"), ";")
			for _, a := range tt.avoided {
				if slices.ContainsFunc(parameters, func(p string) bool {
					return p == a || len(a) == 1 && len(p) == 2 && strings.HasPrefix(p, a)
				}) {
					t.Errorf("%s: role %d uses %q", name, i/attributes, sequence)
				}
			}
		}
	}
}
