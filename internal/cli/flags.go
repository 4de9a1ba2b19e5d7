package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/suggest"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// langFlag is a language. It implements pflag.Value.
type langFlag struct {
	lang  lessons.Lang
	given bool
}

func (f *langFlag) String() string { return string(f.lang) }

func (f *langFlag) Type() string { return "language" }

func (f *langFlag) Set(s string) (err error) {
	f.lang, err = lessons.ParseLang(s)
	f.given = true
	return err
}

// addLang adds --lang to a command.
func (a *app) addLang(cmd *cobra.Command, usage string) *langFlag {
	f := &langFlag{lang: a.lang}
	cmd.Flags().Var(f, "lang", usage)
	cmd.Flags().Lookup("lang").DefValue = "" // it depends on the environment
	complete(cmd, "lang", "en\tEnglish", "zh\t简体中文")
	return f
}

// formatFlag is the form of the output. It implements pflag.Value.
type formatFlag string

// The forms of output.
const (
	formatText formatFlag = "text"
	formatJSON formatFlag = "json"
)

func (f *formatFlag) String() string { return string(*f) }

func (f *formatFlag) Type() string { return "format" }

func (f *formatFlag) Set(s string) error {
	known := []string{string(formatText), string(formatJSON)}
	if slices.Contains(known, s) {
		*f = formatFlag(s)
		return nil
	}
	if near := suggest.DidYouMean(s, known); near != "" {
		return fmt.Errorf("unknown format %q%s", s, near)
	}
	return fmt.Errorf("unknown format %q: there are %s", s, strings.Join(known, ", "))
}

func addFormat(cmd *cobra.Command) *formatFlag {
	f := formatText
	cmd.Flags().Var(&f, "format", "`FORMAT` of the output: text or json")
	complete(cmd, "format", string(formatText), string(formatJSON))
	return &f
}

// settings are parameters to change, by name. It implements pflag.Value.
type settings map[string]string

func (s settings) String() string { return "" }

func (s settings) Type() string { return "setting" }

func (s settings) Set(arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	switch {
	case !ok || name == "":
		return fmt.Errorf("%q is not of the form name=value", arg)
	case script.Printable(arg) != arg:
		return fmt.Errorf("%q has a character that no parameter has", arg)
	}
	if _, twice := s[name]; twice {
		return fmt.Errorf("%s is set twice", name)
	}
	s[name] = value
	return nil
}

// complete gives the values of a flag to the shell. A description stands behind
// a tab.
func complete(cmd *cobra.Command, flag string, values ...cobra.Completion) {
	completeFunc(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completeFunc(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(fmt.Sprintf("completion of --%s: %v", flag, err)) // there is no such flag, or it has one
	}
}
