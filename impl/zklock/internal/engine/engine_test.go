package engine

import (
	"math"
	"net/url"
	"strings"
	"testing"
)

func TestEscapedKeysAreOneElementAndStayApart(t *testing.T) {
	for key, want := range map[string]string{
		"order:1":  "order:1",
		"a/b":      "a%2Fb",
		"a%2Fb":    "a%252Fb",
		"a b":      "a%20b",
		"ä":        "%C3%A4",
		".":        "%2E",
		"..":       "%2E%2E",
		"...":      "...",
		"\x00":     "%00",
		"A_z-~@.9": "A_z-~@.9",
	} {
		if got := Escape(key); got != want {
			t.Errorf("Escape(%q) = %q, want %q", key, got, want)
		}
	}
}

// FuzzEscape shows that nothing is lost: the key can be read back, so different
// keys have different names.
func FuzzEscape(f *testing.F) {
	for _, key := range []string{"a:b", "a-b", ".", "..", "%", "%2E", "/", "ä", "\xff", "\x00"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		name := Escape(key)
		back, err := url.PathUnescape(name)
		if err != nil || back != key {
			t.Errorf("%q became %q and read back %q, %v", key, name, back, err)
		}
		if strings.Contains(name, "/") || name == "." || name == ".." || key != "" && name == "" {
			t.Errorf("%q became %q, which is no element of a path", key, name)
		}
	})
}

func TestSequenceNumbers(t *testing.T) {
	for name, want := range map[string]struct {
		seq int32
		ok  bool
	}{
		"_c_0f-lock-0000000007":  {7, true},
		"lock-0000000007":        {7, true},
		"_c_0f-lock-2147483647":  {math.MaxInt32, true},
		"_c_0f-lock--2147483648": {math.MinInt32, true},
		"_c_0f-lock--000000001":  {-1, true},
		"lock-lock-0000000001":   {1, true},
		"lock-7":                 {0, false},
		"lock-":                  {0, false},
		"read-0000000001":        {0, false},
		"lock-2147483648":        {0, false},
		"lock-00000000x1":        {0, false},
	} {
		seq, ok := sequence(name, Exclusive)
		if ok != want.ok || ok && seq != want.seq {
			t.Errorf("%s: %d, %v; want %d, %v", name, seq, ok, want.seq, want.ok)
		}
	}
}

// entries makes a queue from letters: w and r are writers and readers, p is a
// permit, l a lock. The name of an entry is its letter and its place.
func entries(kinds string) []Entry {
	letters := map[rune]Kind{'w': Write, 'r': Read, 'p': Permit, 'l': Exclusive}
	var q []Entry
	for i, letter := range kinds {
		q = append(q, Entry{Name: string(letter) + string(rune('0'+i)), Kind: letters[letter]})
	}
	return q
}

func TestWhoseTurnItIs(t *testing.T) {
	for _, c := range []struct {
		turn   Turn
		queue  string
		own    int
		passed string
		want   Step
	}{
		{Mutex{}, "l", 0, "", Step{}},
		{Mutex{}, "lll", 2, "", Step{WaitFor: "l1"}},
		{Writer{}, "w", 0, "", Step{}},
		{Writer{}, "rrw", 2, "", Step{WaitFor: "r1"}},
		{Reader{}, "rrr", 2, "", Step{}},
		{Reader{}, "wr", 1, "", Step{WaitFor: "w0", MayPass: true}},
		{Reader{}, "wrrr", 3, "", Step{WaitFor: "w0", MayPass: true}},
		{Reader{}, "wrwr", 3, "", Step{WaitFor: "w2", MayPass: true}},
		{Reader{}, "wrr", 2, "w0", Step{}},
		{Reader{}, "wwr", 2, "w1", Step{WaitFor: "w0", MayPass: true}},
		{Permits(2), "pp", 1, "", Step{}},
		{Permits(2), "ppp", 2, "", Step{AnyChange: true}},
		{Permits(2), "pppp", 3, "", Step{WaitFor: "p2", MayPass: true}},
	} {
		got := c.turn.Next(entries(c.queue), c.own, map[string]bool{c.passed: true})
		if got != c.want {
			t.Errorf("%T in %q at %d, passed %q: %+v, want %+v", c.turn, c.queue, c.own, c.passed, got, c.want)
		}
	}
}
