package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/tui"
)

func (a *app) lessonsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "lessons",
		Short:   "List the lessons",
		Long:    "List the lessons by chapter, each with its ID and the question that it answers.",
		Example: "  lockstep lessons\n  lockstep lessons --lang zh\n  lockstep lessons --format json",
		Args:    noArgs,
	}
	format := addFormat(cmd)
	lang := a.addLang(cmd, "`LANG` of the titles, en or zh (default: that of the environment)")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *format == formatJSON {
			return a.encodeLessons(lang.lang)
		}
		return a.listLessons(lang.lang)
	}
	return cmd
}

func (a *app) listLessons(lang lessons.Lang) error {
	chapters := library.New(nil).Chapters(tui.Lang(lang))
	width := 0
	for _, c := range chapters {
		for _, l := range c.Lessons {
			width = max(width, len(l.ID))
		}
	}
	var b strings.Builder
	for i, c := range chapters {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(c.Title + "\n")
		for _, l := range c.Lessons {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, l.ID, l.Title)
			if l.Question != "" {
				fmt.Fprintf(&b, "  %-*s  %s\n", width, "", l.Question)
			}
		}
	}
	return a.printf("%s", b.String())
}

// lessonsVersion is the version of the JSON below. It grows when a field changes
// its meaning or goes away.
const lessonsVersion = 1

type (
	lessonList struct {
		Version  int           `json:"version"`
		Lang     lessons.Lang  `json:"lang"`
		Chapters []chapterInfo `json:"chapters"`
	}
	chapterInfo struct {
		Title   string       `json:"title"`
		Lessons []lessonInfo `json:"lessons"`
	}
	lessonInfo struct {
		ID       string        `json:"id"`
		Title    string        `json:"title"`
		Question string        `json:"question"`
		Variants []variantInfo `json:"variants"`
	}
	variantInfo struct {
		Name   string `json:"name"`
		Broken bool   `json:"broken"` // it is there to break an invariant
	}
)

func (a *app) encodeLessons(lang lessons.Lang) error {
	list := lessonList{Version: lessonsVersion, Lang: lang, Chapters: []chapterInfo{}}
	for _, c := range library.New(nil).Chapters(tui.Lang(lang)) {
		chapter := chapterInfo{Title: c.Title, Lessons: []lessonInfo{}}
		for _, l := range c.Lessons {
			info := lessonInfo{ID: l.ID, Title: l.Title, Question: l.Question, Variants: []variantInfo{}}
			for _, v := range l.Variants {
				info.Variants = append(info.Variants, variantInfo{v.Name, v.Broken})
			}
			chapter.Lessons = append(chapter.Lessons, info)
		}
		list.Chapters = append(list.Chapters, chapter)
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
