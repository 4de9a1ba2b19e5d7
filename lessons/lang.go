package lessons

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// Lang is a language of the texts.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Langs are all languages.
var Langs = []Lang{English, Chinese}

// ParseLang reads the name of a language. The names of locales that begin with
// it are taken, too: zh_CN.UTF-8, en-GB.
func ParseLang(s string) (Lang, error) {
	name := strings.ToLower(s)
	if i := strings.IndexAny(name, "_-.@"); i >= 0 {
		name = name[:i]
	}
	known := make([]string, len(Langs))
	for i, l := range Langs {
		if name == string(l) {
			return l, nil
		}
		known[i] = string(l)
	}
	if near := suggest.DidYouMean(s, known); near != "" {
		return "", fmt.Errorf("unknown language %q%s", s, near)
	}
	return "", fmt.Errorf("unknown language %q: there are %s", s, strings.Join(known, ", "))
}

// FromEnvironment is the language that the environment asks for: that of the
// first of LC_ALL, LC_MESSAGES and LANG that is set. Any other than those known
// means English.
func FromEnvironment(getenv func(string) string) Lang {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		if l, err := ParseLang(v); err == nil {
			return l
		}
		return English
	}
	return English
}
