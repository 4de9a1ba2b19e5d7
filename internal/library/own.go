package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

// ownLimit bounds the real time that is spent on finding out how a scenario of
// the user's own comes out. Those that can be followed need some milliseconds.
const ownLimit = 3 * time.Second

// own is a scenario of the user's own. It has no texts: what is told about it is
// how its variants come out.
type own struct {
	sc       *script.Scenario
	outcomes func() []outcome // in the order of the variants; they are run once
}

func newOwn(sc *script.Scenario, limit time.Duration) *own {
	return &own{sc, sync.OnceValue(func() []outcome { return judge(sc, limit) })}
}

// outcome is how a variant came out.
type outcome struct {
	variant string
	failed  []runner.Outcome // the expectations that it does not meet
	err     error            // why it could not be run
}

func (o *outcome) ok() bool { return o.err == nil && len(o.failed) == 0 }

// errSlow is why a variant has not been run.
var errSlow = errors.New("takes too long to find out")

// judge runs all variants, within a limit of real time.
func judge(sc *script.Scenario, limit time.Duration) []outcome {
	ctx, stop := context.WithTimeoutCause(context.Background(), limit, errSlow)
	defer stop()
	out := make([]outcome, len(sc.Variants))
	for i, v := range sc.Variants {
		out[i] = outcome{variant: v.Name.Text}
		r, err := runner.Run(ctx, sc, v.Name.Text, runner.Options{})
		switch {
		case ctx.Err() != nil:
			out[i].err = context.Cause(ctx)
		case err != nil:
			out[i].err = err
		default:
			out[i].failed = failed(r)
		}
	}
	return out
}

func failed(r *runner.Result) []runner.Outcome {
	var out []runner.Outcome
	for _, o := range r.Expects {
		if o.Status == runner.Failed {
			out = append(out, o)
		}
	}
	return out
}

// describe is the entry of the scenario in the list.
func (o *own) describe(lang tui.Lang) tui.Lesson {
	w := wordsFor(lang)
	out := describe(o.sc)
	outcomes := o.outcomes()
	var bad []string
	for i := range outcomes {
		if !outcomes[i].ok() {
			bad = append(bad, w.tell(&outcomes[i]))
		}
	}
	out.Question, out.Summary = w.count(len(outcomes), len(bad)), w.allMet
	if len(bad) > 0 {
		out.Summary = strings.Join(bad, "\n")
	}
	return out
}

// ownWords are how the outcomes are told in a language, as Markdown.
type ownWords struct {
	title  string
	allMet string
	one    string // of one variant
	many   string // of %d variants
	ok     string
	bad    string // %d of them
	met    string // %s: variant
	fails  string // %s: variant
	line   string // %d: line, %s: what was expected, %s: what it was
	unrun  string // %s: variant, %v: why
	slow   string // %s: variant
}

var english = ownWords{
	title:  "Your scenario",
	allMet: "Every variant does what the file expects of it.",
	one:    "1 variant", many: "%d variants", ok: ": ok", bad: ": %d not ok",
	met:   "Variant `%s` meets every expectation.",
	fails: "- Variant `%s` does **not** meet what the file expects:",
	line:  "  - line %d: expected `%s`, got `%s`",
	unrun: "- Variant `%s` cannot be run: `%v`",
	slow:  "- Variant `%s` takes too long to tell how it comes out; `lockstep run` waits for it.",
}

var chinese = ownWords{
	title:  "你的场景",
	allMet: "每个变体都符合文件中的预期。",
	one:    "1 个变体", many: "%d 个变体", ok: "：符合预期", bad: "：%d 个有问题",
	met:   "变体 `%s` 符合全部预期。",
	fails: "- 变体 `%s` **不**符合文件中的预期：",
	line:  "  - 第 %d 行：预期 `%s`，实际 `%s`",
	unrun: "- 变体 `%s` 无法运行：`%v`",
	slow:  "- 变体 `%s` 运行太久，还不知道结果；`lockstep run` 会等它结束。",
}

func wordsFor(lang tui.Lang) *ownWords {
	if lang == tui.Chinese {
		return &chinese
	}
	return &english
}

// count is how many variants there are and how many of them are bad.
func (w *ownWords) count(all, bad int) string {
	out := w.one
	if all > 1 {
		out = fmt.Sprintf(w.many, all)
	}
	if bad > 0 {
		return out + fmt.Sprintf(w.bad, bad)
	}
	return out + w.ok
}

// tell says how one variant came out.
func (w *ownWords) tell(o *outcome) string {
	switch {
	case o.ok():
		return fmt.Sprintf(w.met, o.variant)
	case errors.Is(o.err, errSlow):
		return fmt.Sprintf(w.slow, o.variant)
	case o.err != nil:
		return fmt.Sprintf(w.unrun, o.variant, inCode(o.err.Error()))
	}
	lines := []string{fmt.Sprintf(w.fails, o.variant)}
	for _, f := range o.failed {
		lines = append(lines, fmt.Sprintf(w.line, f.Line, inCode(f.Text), inCode(f.Got)))
	}
	return strings.Join(lines, "\n")
}

// inCode is a text that can stand within backquotes.
func inCode(text string) string {
	return strings.NewReplacer("`", "'", "\n", "; ").Replace(text)
}
