package lock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

type like struct {
	Post, User int64
	Note       *string `key:"remark"`
}

const likeKey = "post:like:{post}:{user}"

func TestKeyTemplateMakesKeys(t *testing.T) {
	text := "hi"
	day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		pattern string
		from    any
		want    string
	}{
		"struct":            {likeKey, like{Post: 7, User: 42}, "post:like:7:42"},
		"pointer":           {likeKey, &like{Post: 7, User: -1}, "post:like:7:-1"},
		"map":               {likeKey, map[string]int{"post": 0, "user": 1}, "post:like:0:1"},
		"map of anything":   {"{a}/{b}", map[string]any{"a": "x", "b": uint8(3)}, "x/3"},
		"tag and pointer":   {"n:{remark}", like{Note: &text}, "n:hi"},
		"text beyond ASCII": {"{a}", map[string]string{"a": "赞"}, "赞"},
		"Stringer":          {"{a}", map[string]time.Duration{"a": time.Second}, "1s"},
		"TextMarshaler":     {"{a}", map[string]*time.Time{"a": &day}, "2026-11-30T00%3A00%3A00Z"},
		"literal at end":    {"{a}:lock", map[string]bool{"a": true}, "true:lock"},
		"escaped":           {"{a}", map[string]string{"a": "1:2/3%{} \n\""}, "1%3A2%2F3%25%7B%7D%20%0A%22"},
	} {
		t.Run(name, func(t *testing.T) {
			tmpl, err := lock.ParseKeyTemplate(c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := tmpl.Key(c.from); err != nil || got != c.want {
				t.Errorf("Key = %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// 1:2 and 3 must not make the key that 1 and 2:3 make.
func TestDifferentFieldsMakeDifferentKeys(t *testing.T) {
	parts := []string{"1", "2", "3", "1:2", "2:3", ":", "::", "1%3A2", "%3A", "%", "a x", "a", "x"}
	for _, pattern := range []string{"{a}:{b}", "{a}x:x{b}", "{a} {b}", "%{a}%:%{b}%"} {
		tmpl, err := lock.ParseKeyTemplate(pattern)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{}
		for _, a := range parts {
			for _, b := range parts {
				key, err := tmpl.Key(map[string]string{"a": a, "b": b})
				if err != nil {
					t.Fatal(err)
				}
				fields := fmt.Sprintf("%q %q", a, b)
				if other, taken := seen[key]; taken {
					t.Errorf("%s: %s and %s both make %q", pattern, fields, other, key)
				}
				seen[key] = fields
			}
		}
	}
}

func TestFieldsThatCannotBePartOfAKeyAreInvalid(t *testing.T) {
	for name, c := range map[string]struct {
		pattern string
		from    any
	}{
		"missing in a map":    {likeKey, map[string]int{"post": 1}},
		"missing in a struct": {"{pots}", like{}},
		"hidden":              {"{hidden}", struct{ hidden int }{1}},
		"nil pointer":         {"{remark}", like{}},
		"nil interface":       {"{a}", map[string]any{"a": nil}},
		"empty text":          {"{a}", map[string]string{"a": ""}},
		"a fraction":          {"{a}", map[string]float64{"a": 0.5}},
		"a list":              {"{a}", map[string][]int{"a": {1}}},
		"nothing":             {"{a}", nil},
		"a nil struct":        {"{post}", (*like)(nil)},
		"a number":            {"{a}", 5},
		"keys of numbers":     {"{a}", map[int]string{1: "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			tmpl, err := lock.ParseKeyTemplate(c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if key, err := tmpl.Key(c.from); !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("Key = %q, %v; want ErrInvalid", key, err)
			}
		})
	}
}

func TestPatternsThatCannotWorkAreInvalid(t *testing.T) {
	for _, pattern := range []string{"", "post", "{a", "a}", "{}", "{a}{b}", "{a}x{b}", "{a}%{b}", "{{a}}", "{a}:}"} {
		if _, err := lock.ParseKeyTemplate(pattern); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", pattern, err)
		}
	}
}

func TestGuardRunsTheFunctionUnderTheLock(t *testing.T) {
	l, failed := newLocal(), errors.New("already liked")
	guarded, err := lock.Guard(l, likeKey, func(_ context.Context, in like) (string, error) {
		l.note(fmt.Sprint("like ", in.Post))
		return "done", failed
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := guarded(t.Context(), like{Post: 7, User: 42})
	if result != "done" || !errors.Is(err, failed) {
		t.Errorf("got %q, %v; want what the function returned", result, err)
	}
	want := []string{"lock post:like:7:42", "like 7", "unlock post:like:7:42"}
	if got := l.noted(); !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
}

func TestGuardLocksNothingWithoutAKey(t *testing.T) {
	l := newLocal()
	never := func(context.Context, map[string]int) (int, error) { t.Error("fn ran"); return 1, nil }
	guarded, err := lock.Guard(l, likeKey, never)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := guarded(t.Context(), map[string]int{"post": 1}); !errors.Is(err, lock.ErrInvalid) || n != 0 {
		t.Errorf("got %d, %v; want 0 and ErrInvalid", n, err)
	}
	l.refuse = lock.ErrNotAcquired
	if n, err := guarded(t.Context(), map[string]int{"post": 1, "user": 2}); !errors.Is(err, lock.ErrNotAcquired) || n != 0 {
		t.Errorf("got %d, %v; want 0 and ErrNotAcquired", n, err)
	}
	if got := l.noted(); len(got) > 0 {
		t.Errorf("did %v, want nothing", got)
	}
}

func TestGuardFindsAFieldThatTheTypeLacks(t *testing.T) {
	fn := func(context.Context, like) (int, error) { return 0, nil }
	if _, err := lock.Guard(newLocal(), "post:{pots}", fn); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("Guard = %v, want ErrInvalid", err)
	}
	if _, err := lock.Guard(newLocal(), "post:{id}", func(context.Context, int) (int, error) { return 0, nil }); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("Guard for an int = %v, want ErrInvalid", err)
	}
}
