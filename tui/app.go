package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// app is the whole program: the list, or a player over it, or a page over both.
type app struct {
	ctx   context.Context
	lib   Library
	theme *theme
	lang  Lang

	signals *signals // of a program on a terminal
	noShell bool     // if it stopped, nobody would continue it

	width, height int

	list   *list
	player *player // nil while the list is shown
	page   page
	notice string // told once, until the next key
	runs   map[runID]*loaded
}

// newApp makes the program as it starts. It has no size before it is told one.
func newApp(ctx context.Context, lib Library, opts Options, color bool) *app {
	a := &app{
		ctx: ctx, lib: lib, theme: newTheme(opts.ASCII, color, opts.background),
		lang: opts.Lang, runs: map[runID]*loaded{},
	}
	if a.lang != Chinese {
		a.lang = English
	}
	a.list = newList(lib.Chapters(a.lang))
	if opts.Lesson != "" {
		a.list.choose(opts.Lesson)
		a.player = newPlayer(a.list.find(opts.Lesson), opts.Variant)
	}
	return a
}

// Init implements tea.Model.
func (a *app) Init() tea.Cmd {
	if a.player == nil {
		return nil
	}
	return a.open()
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
	case tea.KeyMsg:
		return a, a.keys(msg)
	case tea.MouseMsg:
		return a, a.mouse(tea.MouseEvent(msg))
	case openedMsg:
		a.opened(msg)
	case suspendMsg:
		return a, a.suspend()
	case resumedMsg:
		return a, a.resumed(msg)
	case tickMsg:
		if a.player != nil {
			return a, a.player.ticked(msg)
		}
	}
	return a, nil
}

// View implements tea.Model.
func (a *app) View() string {
	if a.width <= 0 || a.height <= 0 {
		return ""
	}
	canvas := a.theme.canvas(a.width, a.height)
	a.draw(canvas.Area())
	return canvas.String(a.theme.on)
}

func (a *app) draw(area cells.Area) {
	switch {
	case a.tooSmall():
		a.drawTooSmall(area)
		return
	case a.page.kind != pageNone:
		a.drawPage(area)
	case a.player != nil:
		a.player.draw(area, a)
	default:
		a.list.draw(area, a)
	}
	a.drawFooter(area.Row(area.Height() - 1))
}

// tooSmall reports whether the terminal cannot show a lesson. Then nothing but
// ctrl+c, ctrl+z and another size has an effect.
func (a *app) tooSmall() bool { return a.width < minWidth || a.height < minHeight }

// drawTooSmall asks for a larger terminal.
func (a *app) drawTooSmall(area cells.Area) {
	text := textID.format(txtTooSmall, a.lang, minWidth, minHeight, a.width, a.height)
	for y, l := range cells.Wrap(cells.Line{{Text: text}}, area.Width()) {
		area.PutLine(0, y, l)
	}
}

// scope is where the user is.
func (a *app) scope() scope {
	switch {
	case a.page.kind == pageGuide:
		return inGuide
	case a.page.kind != pageNone:
		return inPage
	case a.player != nil:
		return inPlayer
	default:
		return inList
	}
}

// prompt is the line being typed, or nil.
func (a *app) prompt() *prompt {
	switch {
	case a.page.kind != pageNone:
		return nil
	case a.player != nil && a.player.search.active:
		return &a.player.search.prompt
	case a.player == nil && a.list.filter.active:
		return &a.list.filter
	default:
		return nil
	}
}

// promptRemark is what stands beside the line being typed.
func (a *app) promptRemark() string {
	if a.player != nil {
		return a.player.search.remark(a.player.step)
	}
	return textID.format(txtLessonCount, a.lang, a.list.count())
}

// keys handles a message of keys. Characters that are typed quickly come in one
// message; what is pasted is text and does nothing but fill a prompt.
func (a *app) keys(msg tea.KeyMsg) tea.Cmd {
	if len(msg.Runes) < 2 {
		return a.key(msg)
	}
	if msg.Paste && a.prompt() == nil {
		return nil
	}
	var cmds []tea.Cmd
	for _, r := range msg.Runes {
		cmds = append(cmds, a.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}))
	}
	return tea.Batch(cmds...)
}

// key handles one key.
func (a *app) key(msg tea.KeyMsg) tea.Cmd {
	a.notice = ""
	switch msg.Type { // wherever the user is
	case tea.KeyCtrlC:
		return tea.Quit
	case tea.KeyCtrlZ:
		return a.suspend()
	}
	if a.tooSmall() {
		return nil
	}
	if a.prompt() != nil {
		a.typed(msg)
		return nil
	}
	if a.player != nil && a.page.kind == pageNone && a.player.digit(msg) {
		return nil
	}
	act := lookUp(a.scope(), msg.String())
	if reason := a.disabled(act); reason != 0 {
		a.notice = reason.in(a.lang)
		act = actNone
	}
	return a.do(act)
}

// typed passes a key to the prompt.
func (a *app) typed(msg tea.KeyMsg) {
	if a.player != nil {
		a.notice = a.player.typeSearch(msg, a.lang)
	} else {
		a.list.typeFilter(msg)
	}
}

// do performs an action.
func (a *app) do(act action) tea.Cmd {
	count := a.takeCount()
	switch act {
	case actQuit:
		return tea.Quit
	case actLang:
		a.switchLang()
		return nil
	case actHelp:
		a.page.toggle(pageHelp)
		return nil
	case actText:
		a.page.toggle(pageText)
		return nil
	case actGlossary:
		a.page.toggle(pageGlossary)
		return nil
	case actGuide:
		a.page.toggle(pageGuide)
		return nil
	}
	switch a.scope() {
	case inGuide:
		return a.doInGuide(act)
	case inPage:
		a.doInPage(act)
		return nil
	case inPlayer:
		return a.doInPlayer(act, count)
	default:
		return a.doInList(act)
	}
}

// takeCount is the count that was typed before a key, or 0. It serves once,
// whether or not the key does something with it.
func (a *app) takeCount() int {
	if a.player == nil {
		return 0
	}
	n := a.player.count
	a.player.count = 0
	return n
}

// switchLang shows everything in the other language, at the same place.
func (a *app) switchLang() {
	if a.lang == English {
		a.lang = Chinese
	} else {
		a.lang = English
	}
	a.list.replace(a.lib.Chapters(a.lang))
	if a.player != nil {
		a.player.lesson = a.list.find(a.player.lesson.ID)
		a.player.findAgain(a.lang)
	}
}

// disabled says why an action cannot be performed now, or 0.
func (a *app) disabled(act action) textID {
	if act == actSuspend && a.noShell {
		return txtNoShell
	}
	switch {
	case a.scope() == inGuide && act != actText:
		return 0
	case a.player != nil:
		return a.player.disabled(act, a.lang)
	default:
		return a.list.disabled(act)
	}
}
