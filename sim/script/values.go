package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Type is the sort of value that stands at some place.
type Type string

// The types of values.
const (
	TypeDuration Type = "duration" // a length of time or an instant: 400ms, 1.5s, 2m
	TypeInteger  Type = "integer"  // a whole number, which may be negative
	TypeWord     Type = "word"     // a letter, then letters, digits and . _ / -
	TypeChoice   Type = "choice"   // one of a few words

	// Where a name stands, a parameter cannot.
	typeResource Type = "resource" // the name of a resource
	typeClient   Type = "client"   // the name of a client
	typeText     Type = "text"     // any word: what a store answered
	typeLock     Type = "lock"     // the key of a lock
)

// placeholder stands for a value of the type in the reference.
func (t Type) placeholder() string {
	switch t {
	case TypeDuration:
		return "D"
	case TypeInteger:
		return "N"
	case typeLock:
		return "KEY"
	}
	return "WORD"
}

// maxDuration keeps sums of times far from the end of int64 nanoseconds.
const maxDuration = 10_000 * time.Hour

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil || strings.HasPrefix(s, "+"):
		return 0, fmt.Errorf("bad duration %q: write it like 400ms, 1.5s or 2m", s)
	case d < 0:
		return 0, fmt.Errorf("negative duration %q", s)
	case d > maxDuration:
		return 0, fmt.Errorf("duration %q is longer than 10,000 hours", s)
	}
	return d, nil
}

func parseInteger(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("number %q is out of range", s)
	}
	if err != nil || strings.HasPrefix(s, "+") {
		return 0, fmt.Errorf("bad number %q: write it like 5 or -2", s)
	}
	return n, nil
}

// check says what is wrong with s as a literal of type t.
func (t Type) check(s string) error {
	var err error
	switch t {
	case TypeDuration:
		_, err = parseDuration(s)
	case TypeInteger:
		_, err = parseInteger(s)
	case TypeWord, TypeChoice:
		if !isWord(s) {
			err = fmt.Errorf("bad word %q: a letter, then letters, digits and . _ / -", s)
		}
	}
	return err
}

// typeOf tells the type of a literal by its look.
func typeOf(s string) (Type, error) {
	for _, t := range []Type{TypeInteger, TypeDuration, TypeWord} {
		if t.check(s) == nil {
			return t, nil
		}
	}
	return "", fmt.Errorf("bad value %q: neither a duration (400ms) nor a number nor a word", s)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		digit := '0' <= c && c <= '9'
		if !isLetter(c) && (i == 0 || !digit && !strings.ContainsRune("._/-", rune(c))) {
			return false
		}
	}
	return s != ""
}

// maxName keeps names narrow enough for a lane of the timeline.
const maxName = 40

// checkName says what is wrong with s as the name of a client, parameter,
// resource, variant or mark.
func checkName(s string) error {
	switch {
	case !isWord(s) || strings.ContainsAny(s, "./"):
		return fmt.Errorf("bad name %q: a letter, then letters, digits, _ and -", s)
	case len(s) > maxName:
		return fmt.Errorf("name %q is longer than %d characters", s, maxName)
	}
	return nil
}

// isRef reports whether a value refers to a parameter, and to which.
func isRef(text string) (name string, ok bool) { return strings.CutPrefix(text, "$") }
