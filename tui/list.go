package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// list is the list of lessons. The choice is kept by the id of the lesson, so it
// survives a filter and another language.
type list struct {
	chapters []Chapter
	entries  []entry // what the filter leaves
	chosen   string  // id of a lesson
	filter   prompt
}

// entry is a line of the list: a lesson, the title of a chapter, or nothing
// between two chapters.
type entry struct {
	chapter string
	lesson  Lesson
}

func (e *entry) isLesson() bool { return e.lesson.ID != "" }

func newList(chapters []Chapter) *list {
	l := &list{}
	l.replace(chapters)
	return l
}

// replace shows other chapters, or the same ones in another language.
func (l *list) replace(chapters []Chapter) {
	l.chapters = chapters
	l.apply()
}

// apply selects the entries that the filter leaves. A chosen lesson that is not
// among them gives way to the first one.
func (l *list) apply() {
	words := strings.Fields(strings.ToLower(l.filter.value()))
	l.entries = nil
	found := false
	for _, c := range l.chapters {
		headed := false
		for _, lesson := range c.Lessons {
			if !matches(lesson.ID+" "+lesson.Title+" "+lesson.Question+" "+lesson.Summary+" "+c.Title, words) {
				continue
			}
			if !headed && len(l.entries) > 0 {
				l.entries = append(l.entries, entry{})
			}
			if !headed {
				l.entries = append(l.entries, entry{chapter: c.Title})
				headed = true
			}
			l.entries = append(l.entries, entry{lesson: lesson})
			found = found || lesson.ID == l.chosen
		}
	}
	if !found {
		l.move(0)
	}
}

// choose makes a lesson the chosen one, if there is such a lesson.
func (l *list) choose(id string) {
	for i := range l.entries {
		if l.entries[i].lesson.ID == id {
			l.chosen = id
		}
	}
}

// find is the lesson with an id. One that is not in the catalogue is known by
// nothing but that.
func (l *list) find(id string) Lesson {
	for _, c := range l.chapters {
		for _, lesson := range c.Lessons {
			if lesson.ID == id {
				return lesson
			}
		}
	}
	return Lesson{ID: id, Title: id}
}

// index is the entry of the chosen lesson, or -1.
func (l *list) index() int {
	for i := range l.entries {
		if l.entries[i].isLesson() && l.entries[i].lesson.ID == l.chosen {
			return i
		}
	}
	return -1
}

// count is the number of lessons that the filter leaves.
func (l *list) count() int {
	n := 0
	for i := range l.entries {
		if l.entries[i].isLesson() {
			n++
		}
	}
	return n
}

// move chooses the lesson that is some lessons further on, or the nearest one.
func (l *list) move(by int) {
	var ids []string
	at := 0
	for i := range l.entries {
		if e := &l.entries[i]; e.isLesson() {
			if e.lesson.ID == l.chosen {
				at = len(ids)
			}
			ids = append(ids, e.lesson.ID)
		}
	}
	if len(ids) > 0 {
		l.chosen = ids[max(0, min(at+by, len(ids)-1))]
	}
}

// moveChapter chooses the first lesson of the next chapter, or of the one before:
// from within a chapter, its own first lesson comes before that.
func (l *list) moveChapter(direction int) {
	at := l.index()
	for i := at + direction; i > 0 && i < len(l.entries); i += direction {
		if l.entries[i].isLesson() && l.entries[i-1].chapter != "" && i != at {
			l.chosen = l.entries[i].lesson.ID
			return
		}
	}
}

// typeFilter takes a key while the filter is typed. Arrows move the choice
// meanwhile.
func (l *list) typeFilter(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyEnter:
		l.filter.active = false
	case tea.KeyEsc:
		l.filter = prompt{}
	case tea.KeyUp:
		l.move(-1)
	case tea.KeyDown:
		l.move(1)
	default:
		l.filter.edit(msg)
	}
	l.apply()
}

// disabled says why an action cannot be performed now, or 0.
func (l *list) disabled(act action) textID {
	switch {
	case act == actText:
		return txtNothingOpen
	case act == actOpen && l.index() < 0:
		return txtNoLesson
	case act == actClearFilter && l.filter.value() == "":
		return txtNoFilter
	default:
		return 0
	}
}

// doInList performs an action of the list.
func (a *app) doInList(act action) tea.Cmd {
	l := a.list
	switch act {
	case actUp:
		l.move(-1)
	case actDown:
		l.move(1)
	case actPageUp:
		l.move(-a.listRows())
	case actPageDown:
		l.move(a.listRows())
	case actFirst:
		l.move(-len(l.entries))
	case actLast:
		l.move(len(l.entries))
	case actNextChapter:
		l.moveChapter(1)
	case actPrevChapter:
		l.moveChapter(-1)
	case actFilter:
		l.filter.active = true
	case actClearFilter:
		l.filter = prompt{}
		l.apply()
	case actOpen:
		a.player = newPlayer(l.find(l.chosen), "")
		return a.open()
	}
	return nil
}
