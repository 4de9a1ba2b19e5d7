package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/suggest"
	"github.com/lockstep-sim/lockstep/lessons"
)

func (a *app) glossaryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "glossary [TERM]",
		Short:   "Explain the terms of the field",
		Long:    "Explain the terms of the field, or one of them.",
		Example: "  lockstep glossary\n  lockstep glossary fencing-token\n  lockstep glossary --lang zh",
		Args:    cobra.MaximumNArgs(1),
	}
	lang := a.addLang(cmd, "`LANG` of the text, en or zh (default: that of the environment)")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return termIDs(lessons.English), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			return a.explain(args[0], lang.lang)
		}
		page, err := lessons.GlossaryPage(lang.lang)
		if err != nil {
			return err
		}
		return a.printf("%s\n", page)
	}
	return cmd
}

// explain prints one term, by its ID or its name in the language.
func (a *app) explain(term string, lang lessons.Lang) error {
	terms, err := lessons.Glossary(lang)
	if err != nil {
		return err
	}
	for _, t := range terms {
		if strings.EqualFold(t.ID, term) || strings.EqualFold(t.Name, term) {
			return a.printf("## %s\n\n%s\n", t.Name, t.Text)
		}
	}
	ids := termIDs(lang)
	help := suggest.DidYouMean(term, ids)
	if help == "" {
		help = "; known: " + strings.Join(ids, ", ")
	}
	return fmt.Errorf("no term %q in the glossary%s", term, help)
}

func termIDs(lang lessons.Lang) []string {
	terms, err := lessons.Glossary(lang)
	if err != nil {
		return nil // the command itself says why
	}
	ids := make([]string, len(terms))
	for i, t := range terms {
		ids[i] = t.ID
	}
	return ids
}

func (a *app) guideCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "guide",
		Short:   "Help to choose a lock",
		Long:    "Print the questions that lead to a kind of lock, with the lessons whose runs justify the answers.",
		Example: "  lockstep guide\n  lockstep guide --lang zh",
		Args:    noArgs,
	}
	lang := a.addLang(cmd, "`LANG` of the text, en or zh (default: that of the environment)")
	cmd.RunE = func(*cobra.Command, []string) error {
		page, err := lessons.GuidePage(lang.lang)
		if err != nil {
			return err
		}
		return a.printf("%s\n", page)
	}
	return cmd
}
