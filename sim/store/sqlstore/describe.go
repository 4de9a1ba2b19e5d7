package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// longest is how many characters of a statement are shown.
const longest = 200

// command is the first word of a statement, by which faults and counters find
// it.
func command(statement string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(statement), " ")
	word, _, _ = strings.Cut(word, "\n")
	return strings.ToUpper(word)
}

// mentions reports whether a statement is about a table.
func mentions(statement, table string) bool {
	return regexp.MustCompile(`\b` + table + `\b`).MatchString(statement)
}

// leftOut are the parts of statements that a reader does without, and what
// stands for them.
var leftOut = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`lockstep_now_ms\(\)`), "now"},
	{regexp.MustCompile(`\bheld\.`), ""},
	{regexp.MustCompile(`^(INSERT INTO \w+)( AS \w+)? \([^)]*\) VALUES`), "$1 VALUES"},
	{regexp.MustCompile(`COALESCE\(\(SELECT token FROM \w+\), 0\) \+ 1`), "…"},
	{regexp.MustCompile(`CASE WHEN .*? END\b`), "…"},
	{regexp.MustCompile(`\bIF\([^()]*\)`), "IF(…)"},
	{regexp.MustCompile(` RETURNING token$`), ""},
	{regexp.MustCompile(`^(INSERT INTO \w+) AS \w+ \([^)]*\) SELECT .*`), "$1 SELECT …"},
	{regexp.MustCompile(`ON CONFLICT \(\w+\) DO UPDATE SET .* WHERE`), "ON CONFLICT UPDATE … WHERE"},
}

// describe is a statement in one line, with its arguments filled in, the parts
// that say little left out, and instants counted from the start of the run.
func describe(s Statement) string {
	text := fill(strings.Join(strings.Fields(s.Text), " "), s.Args)
	for _, l := range leftOut {
		text = l.pattern.ReplaceAllString(text, l.with)
	}
	text = number.ReplaceAllStringFunc(text, instant)
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest-1]) + "…"
	}
	return text
}

var placeholder = regexp.MustCompile(`\?|\$\d+`)

// fill puts the arguments where their places are.
func fill(text string, args []driver.Value) string {
	next := 0
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		i := next
		if p != "?" {
			i, _ = strconv.Atoi(p[1:])
			i--
		}
		next++
		if i >= len(args) {
			return p
		}
		if s, ok := args[i].(string); ok {
			return "'" + s + "'"
		}
		return fmt.Sprint(args[i])
	})
}

// number is one that can be an instant: milliseconds since 1970.
var number = regexp.MustCompile(`\b\d{12,13}\b`)

func instant(digits string) string {
	ms, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return digits
	}
	if ms >= never {
		return "never"
	}
	return trace.Instant(int64(time.UnixMilli(ms).Sub(kernel.Epoch)))
}
