// Package phrase says in other languages what a run records in English: the
// texts of events that are not commands, and the reasons of violations.
//
// What belongs here: the table of these sentences and the matching. What does
// not: the words of an interface around them, and the lessons. A test replays
// all scenarios and fails for a sentence that the table lacks.
package phrase

import (
	"regexp"
	"strings"
	"sync"
)

// Chinese translates a sentence. It reports false, and returns the text as it
// is, for one that the table does not have.
func Chinese(text string) (string, bool) {
	for _, p := range compiled().sentences {
		if out, ok := p.translate(text, argument); ok {
			return out, true
		}
	}
	return text, false
}

// argument translates what stands in a sentence: a name stays as it is.
func argument(text string) string {
	for _, p := range compiled().parts {
		if out, ok := p.translate(text, argument); ok {
			return out
		}
	}
	return text
}

// pattern is a sentence with places for arguments.
type pattern struct {
	literals []string // what comes before, between and behind the places
	zh       string   // with {1} for the first place, and so on
}

var place = regexp.MustCompile(`\{[1-9]\}`)

func compile(table [][2]string) []pattern {
	out := make([]pattern, len(table))
	for i, row := range table {
		out[i] = pattern{literals: place.Split(row[0], -1), zh: row[1]}
	}
	return out
}

var compiled = sync.OnceValue(func() (t struct{ sentences, parts []pattern }) {
	t.sentences, t.parts = compile(sentences), compile(parts)
	return t
})

// translate fills the arguments of text, each translated, into the Chinese
// sentence, if text has this pattern.
func (p *pattern) translate(text string, argument func(string) string) (string, bool) {
	args, ok := p.match(text)
	if !ok {
		return "", false
	}
	out := place.ReplaceAllStringFunc(p.zh, func(n string) string {
		return argument(args[n[1]-'1'])
	})
	return out, true
}

// match cuts the arguments out of text. Each is as short as it can be.
func (p *pattern) match(text string) (args []string, ok bool) {
	rest, ok := strings.CutPrefix(text, p.literals[0])
	if !ok {
		return nil, false
	}
	if len(p.literals) == 1 {
		return nil, rest == ""
	}
	last := len(p.literals) - 1
	for _, l := range p.literals[1:last] {
		arg, behind, found := strings.Cut(rest, l)
		if !found {
			return nil, false
		}
		args, rest = append(args, arg), behind
	}
	arg, ok := strings.CutSuffix(rest, p.literals[last])
	return append(args, arg), ok
}
