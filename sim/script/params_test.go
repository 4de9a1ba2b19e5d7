package script

import (
	"testing"
	"time"
)

func TestParameters(t *testing.T) {
	s := mustParse(t, base+"param ttl=5s\n")
	got := map[string]Param{}
	for _, p := range s.Parameters() {
		got[p.Name] = p
	}
	for _, tt := range []struct {
		name     string
		typ      Type
		value    string
		declared bool
	}{
		{"ttl", TypeDuration, "5s", true},
		{"latency", TypeDuration, "1ms", false},
		{"renew", TypeChoice, "on", false},
		{"w", TypeDuration, "1s", true},
		{"n", TypeInteger, "3", true},
		{"who", TypeWord, "B", true},
	} {
		p := got[tt.name]
		if p.Type != tt.typ || p.Default != tt.value || p.Declared != tt.declared {
			t.Errorf("%s: %+v, want %+v", tt.name, p, tt)
		}
	}
}

func TestSettingsFromOutside(t *testing.T) {
	s := mustParse(t, base+"param ttl=5s kind=redis long=5s latency=1ms\nclient C: acquire lease=$long timeout=$long\n")
	for _, tt := range []struct{ name, value, want string }{
		{"ttl", "6s", ""},
		{"n", "-4", ""},
		{"kind", "redis/plain-delete", ""},
		{"ttl", "6", `ttl: bad duration "6": write it like 400ms, 1.5s or 2m`},
		{"ttl", "$w", `ttl: bad duration "$w": write it like 400ms, 1.5s or 2m`},
		{"ttl", "10ms", ""},
		{"ttl", "0", `ttl: duration "0" is too short: at least 10ms`},
		{"long", "9ms", `long: duration "9ms" is too short: at least 10ms`},
		{"latency", "0s", ""},
		{"n", "1.5", `n: bad number "1.5": write it like 5 or -2`},
		{"who", "B;C", `who: bad word "B;C": a letter, then letters, digits and . _ / -`},
		{"kind", "redis/plain-delet", `unknown value of kind "redis/plain-delet": did you mean "redis/plain-delete"?`},
		{"tll", "5s", `unknown parameter "tll": did you mean "ttl"?`},
		{"poll", "5s", `parameter "poll" is not declared by this scenario, which declares: latency, ttl, kind, w, n, who, long`},
	} {
		got := ""
		if err := s.CheckSetting(tt.name, tt.value); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s=%s: %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "400ms": 400 * time.Millisecond, "1.5s": 1500 * time.Millisecond,
		"2m": 2 * time.Minute, "1h0m3s": time.Hour + 3*time.Second, "10000h": maxDuration,
	} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "5", "5 s", "-1s", "+1s", "10000h1ns", "9999999999999999999h", "s", "1e3s", "５s"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, without an error", s, got)
		}
	}
}
