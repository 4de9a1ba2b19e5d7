// Package suggest finds the word that a misspelt one was probably meant to be.
//
// What belongs here: the edit distance and the rules for when two words are
// close enough to mention. What does not: any list of words, and the wording of
// messages beyond the question "did you mean …?".
package suggest

import (
	"strconv"
	"strings"
)

// maxLen is the length, in runes, beyond which a word is taken for garbage.
const maxLen = 64

// DidYouMean returns `: did you mean "acquire"?`, ready to be put behind the
// complaint about word, or "" when none of the known words comes near.
func DidYouMean(word string, known []string) string {
	near, ok := Nearest(word, known)
	if !ok {
		return ""
	}
	return ": did you mean " + strconv.Quote(near) + "?"
}

// Nearest returns the known word that is most like word: the one with the
// fewest typing slips between them, letter case aside, or else the only one that
// contains word. Of two equally near ones the first wins. It reports false when
// none is near enough to be worth a question.
func Nearest(word string, known []string) (string, bool) {
	w := fold(word)
	if len(w) == 0 || len(w) > maxLen {
		return "", false
	}
	best, found := "", false
	limit := len(w)/4 + 1
	for _, k := range known {
		f := fold(k)
		if d := distance(w, f, limit); d <= limit && d < min(len(f), len(w)) {
			best, found, limit = k, true, d-1
		}
	}
	if found {
		return best, true
	}
	return containing(string(w), known)
}

// containing finds the only known word with part in it.
func containing(part string, known []string) (string, bool) {
	best, count := "", 0
	for _, k := range known {
		if strings.Contains(string(fold(k)), part) {
			best = k
			count++
		}
	}
	return best, count == 1 && len(part) >= 3
}

func fold(s string) []rune { return []rune(strings.ToLower(s)) }

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b ("optimal string alignment"). It gives up early
// and returns limit+1 once the answer is known to be larger than limit.
func distance(a, b []rune, limit int) int {
	if abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		// A swap looks two rows back, hence the one step of grace.
		if least > limit+1 {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

func differ(x, y rune) int {
	if x == y {
		return 0
	}
	return 1
}

func abs(n int) int { return max(n, -n) }
