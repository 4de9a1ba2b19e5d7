package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// completeScenario offers the IDs of the embedded scenarios and, where none
// begins with the word, files.
func completeScenario(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return scenarioNames(word), cobra.ShellCompDirectiveDefault
}

// completeScenarios is completeScenario for any number of arguments.
func completeScenarios(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return scenarioNames(word), cobra.ShellCompDirectiveDefault
}

func scenarioNames(word string) []cobra.Completion {
	var out []cobra.Completion
	for _, id := range scenarios.List() {
		if !strings.HasPrefix(id, word) {
			continue
		}
		if sc, err := scenarios.Load(id); err == nil {
			out = append(out, cobra.CompletionWithDesc(id, sc.Title))
		}
	}
	return out
}

// completeVariant offers the variants of the scenario that is the argument.
func completeVariant(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	if sc, ok := argument(args); ok {
		for _, v := range sc.Variants {
			out = append(out, v.Name.Text)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeSetting offers the parameters that the scenario declares.
func completeSetting(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	sc, ok := argument(args)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	name, _, hasValue := strings.Cut(word, "=")
	for _, p := range sc.Parameters() {
		switch {
		case !p.Declared:
		case hasValue && p.Name == name:
			for _, c := range p.Choices {
				out = append(out, p.Name+"="+c)
			}
		case !hasValue:
			out = append(out, cobra.CompletionWithDesc(p.Name+"=", "now "+p.Default))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func argument(args []string) (*script.Scenario, bool) {
	if len(args) == 0 {
		return nil, false
	}
	sc, err := scenarios.Open(args[0])
	return sc, err == nil
}
