package tui

import tea "github.com/charmbracelet/bubbletea"

// doInPlayer performs an action of the player, count times if it can be repeated.
// A count of 0 means that none was typed.
func (a *app) doInPlayer(act action, count int) tea.Cmd {
	p := a.player
	n := max(count, 1)
	switch act {
	case actForward:
		p.moveTo(p.step + n)
	case actBackward:
		p.moveTo(p.step - n)
	case actFirst:
		p.moveTo(0)
	case actLast:
		if count == 0 {
			n = p.line().len()
		}
		p.moveTo(n)
	case actNextMark:
		a.moveToMark(n, 1)
	case actPrevMark:
		a.moveToMark(n, -1)
	case actNextClients, actPrevClients:
		a.moveClients(act, count)
	case actNextHit:
		p.moveToHit(n, 1)
	case actPrevHit:
		p.moveToHit(n, -1)
	case actBack:
		if count == 0 { // otherwise only the count is given up
			a.back()
		}
	case actUp:
		a.scrollPane(p.focus, -n)
	case actDown:
		a.scrollPane(p.focus, n)
	case actPageUp:
		a.scrollPane(p.focus, -n*a.pageRows(p.focus))
	case actPageDown:
		a.scrollPane(p.focus, n*a.pageRows(p.focus))
	default:
		return a.doOnce(act)
	}
	return nil
}

// doOnce performs an action of the player that takes no count.
func (a *app) doOnce(act action) tea.Cmd {
	p := a.player
	switch act {
	case actPlay:
		return p.togglePlay()
	case actFaster:
		p.changeSpeed(1)
		a.notice = a.speedNotice()
	case actSlower:
		p.changeSpeed(-1)
		a.notice = a.speedNotice()
	case actNextVariant:
		p.nextVariant(1)
		return a.open()
	case actPrevVariant:
		p.nextVariant(-1)
		return a.open()
	case actNextPane:
		p.focusOn((p.focus + 1) % numPanes)
	case actPrevPane:
		p.focusOn((p.focus + numPanes - 1) % numPanes)
	case actEnlarge:
		p.enlarged = !p.enlarged
	case actFuture:
		p.hideFuture = !p.hideFuture
	case actSearch:
		p.search.begin(p.step)
	}
	return nil
}

// back leaves the enlarged pane, or the player for where it was opened.
func (a *app) back() {
	if a.player.enlarged {
		a.player.enlarged = false
		return
	}
	from := a.player.from
	a.player = nil
	if from != nil {
		a.page = page{kind: pageGuide, guide: *from}
	}
}

func (a *app) speedNotice() string {
	return textID.format(txtSpeed, a.lang, speedText(speeds[a.player.speed], a.theme.ascii))
}

func (p *player) focusOn(f pane) { p.focus, p.scroll = f, 0 }

// moveToMark goes on by n marks, as far as there are any, and says so when there
// are none.
func (a *app) moveToMark(n, direction int) {
	p := a.player
	step := p.step
	for range n {
		next := p.line().nextMark(step, direction)
		if next < 0 {
			break
		}
		step = next
	}
	if step != p.step {
		p.moveTo(step)
		return
	}
	none := txtLastMark
	if direction < 0 {
		none = txtFirstMark
	}
	a.notice = none.in(a.lang)
}

// moveClients gives lanes of their own to the next clients, to those before, or
// to those from the count-th on.
func (a *app) moveClients(act action, count int) {
	p := a.player
	clients := clientsOf(p.line().header.Actors)
	shown := 0
	set := a.scene().laneView(a.layout().panes[paneLanes].w).set
	for _, i := range clients {
		if !set.lanes[set.of[i]].isGroup() {
			shown++
		}
	}
	switch {
	case shown == len(clients):
		a.notice = txtAllShown.in(a.lang)
		return
	case count > 0:
		p.first = count - 1
	case act == actNextClients:
		p.first += shown
	default:
		p.first -= shown
	}
	p.first = max(0, min(p.first, len(clients)-shown))
	a.notice = txtFirstClient.format(a.lang, p.line().header.Actors[clients[p.first]].Name)
}

func (p *player) moveToHit(n, direction int) {
	step := p.step
	for range min(n, len(p.search.hits)) {
		step = p.search.hits.next(step, direction)
	}
	p.moveTo(step)
}

// scrollPane scrolls a pane by rows. In the lanes that means moving the cursor.
func (a *app) scrollPane(f pane, by int) {
	p := a.player
	if f == paneLanes {
		p.moveTo(p.step + by)
		return
	}
	if f != p.focus {
		p.focusOn(f)
	}
	r := a.layout().panes[f]
	c := a.scene().pane(f, r.w-paneMargin, r.h)
	from, _ := c.scrolled(p.scroll, r.h)
	to, _ := c.scrolled(from-c.top+by, r.h)
	p.scroll = to - c.top
}

// pageRows is how far a page key goes in a pane.
func (a *app) pageRows(f pane) int { return max(a.layout().panes[f].h-1, 1) }

// layout is the layout of the player as it is now.
func (a *app) layout() layout {
	return layOut(a.width, a.height, a.player.focus, a.player.enlarged)
}
