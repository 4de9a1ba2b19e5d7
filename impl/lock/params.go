package lock

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// Params reads the parameters of a URL. A driver asks for every parameter that
// it knows and then for Err, which also tells of those that nobody asked for.
type Params struct {
	values url.Values
	known  []string
	errs   []error
}

func newParams(values url.Values) *Params { return &Params{values: values} }

// read returns the text of a parameter. A parameter that is given twice is an
// error, since only one of them could count.
func (p *Params) read(name string) (text string, given bool) {
	if !slices.Contains(p.known, name) {
		p.known = append(p.known, name)
	}
	all := p.values[name]
	if len(all) > 1 {
		p.refuse("parameter %s is given %d times", name, len(all))
	}
	if len(all) == 0 {
		return "", false
	}
	return all[0], true
}

func (p *Params) refuse(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
}

// String is a parameter that may be any text.
func (p *Params) String(name, otherwise string) string {
	if text, given := p.read(name); given {
		return text
	}
	return otherwise
}

// Duration is a parameter such as 300ms, which must be above zero.
func (p *Params) Duration(name string, otherwise time.Duration) time.Duration {
	text, given := p.read(name)
	if !given {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		p.refuse("%s=%s is not a duration above zero, such as 10s", name, text)
		return otherwise
	}
	return d
}

// Bool is a parameter that is true or false.
func (p *Params) Bool(name string, otherwise bool) bool {
	text, given := p.read(name)
	if !given {
		return otherwise
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		p.refuse("%s=%s is neither true nor false", name, text)
	}
	return b
}

// Err is nil if every parameter of the URL was asked for and had a value that
// can be. Otherwise it is [ErrInvalid], about the first that is wrong.
func (p *Params) Err() error {
	if len(p.errs) > 0 {
		return p.errs[0]
	}
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if !slices.Contains(p.known, name) {
			return fmt.Errorf("%w: unknown parameter %q%s", ErrInvalid, name, p.instead(name))
		}
	}
	return nil
}

func (p *Params) instead(name string) string {
	if hint := suggest.DidYouMean(name, p.known); hint != "" {
		return hint
	}
	return "; there are " + listed(slices.Sorted(slices.Values(p.known)))
}
