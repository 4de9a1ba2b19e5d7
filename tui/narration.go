package tui

import (
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
	"github.com/lockstep-sim/lockstep/tui/internal/markdown"
)

// narration is what is told at the step: the text of the last mark, or of all
// marks on the same step. Before the first one it is the question of the lesson.
func (s *scene) narration(width int) content {
	c := content{title: s.tr(txtPaneNarration)}
	width = min(width, maxMeasure)
	texts := s.run.text(s.lang).Narration
	for _, m := range s.line.marksAt(s.step) {
		n, ok := texts[m.Name]
		if !ok {
			continue
		}
		if c.lines == nil {
			c.title = s.sign.mark + " " + clockText(m.At)
			if n.Title != "" {
				c.title += s.sign.separator + n.Title
			}
		} else {
			c.lines = append(c.lines, nil)
		}
		c.lines = append(c.lines, s.markdown(n.Body, width)...)
	}
	if c.lines == nil {
		c.title = s.tr(txtQuestion)
		question := s.markdown(s.lesson.Question, width)
		for _, l := range question {
			for i := range l {
				l[i].Look |= cells.Bold
			}
		}
		c.lines = append(question, s.markdown(s.lesson.Summary, width)...)
	}
	return c
}

// markdown lays out a text in the looks of the theme.
func (t *theme) markdown(src string, width int) []cells.Line {
	return markdown.Render(src, width, markdown.Style{
		Heading: title, Strong: cells.Bold, Emphasis: cells.Underline, Code: codeLook, Quote: dim,
		Bullet: t.sign.bullet, Bar: t.sign.quote,
	})
}
