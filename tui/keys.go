package tui

import "strings"

// action is something that a key does.
type action int

const (
	actNone action = iota
	actQuit
	actBack
	actHelp
	actLang
	actSuspend

	actUp
	actDown
	actPageUp
	actPageDown
	actFirst
	actLast

	actOpen
	actFilter
	actClearFilter

	actForward
	actBackward
	actNextMark
	actPrevMark
	actPlay
	actFaster
	actSlower
	actNextVariant
	actPrevVariant
	actNextPane
	actPrevPane
	actEnlarge
	actSearch
	actNextHit
	actPrevHit
	actText
	actFuture
	actNextClients
	actPrevClients
	actNextChapter
	actPrevChapter
	actGlossary
	actGuide
)

// scope is where a binding is in force.
type scope uint8

const (
	inList   scope = 1 << iota
	inPlayer       // the player, with nothing over it
	inPage         // a text over the list or the player
	inGuide        // the guide, over either
	anywhere = inList | inPlayer | inPage | inGuide
)

// binding gives keys a meaning.
type binding struct {
	action action
	keys   []string // as Bubble Tea names them; the first is shown in hints
	scope  scope
	help   textID
}

// bindings are all keys of the program, in the order of the help. Digits before
// a key of the player are a count.
var bindings = []binding{
	{actForward, []string{"right", "l"}, inPlayer, txtHelpForward},
	{actBackward, []string{"left", "h"}, inPlayer, txtHelpBackward},
	{actFirst, []string{"g", "home"}, inPlayer, txtHelpFirstStep},
	{actLast, []string{"G", "end"}, inPlayer, txtHelpLastStep},
	{actNextMark, []string{"m"}, inPlayer, txtHelpNextMark},
	{actPrevMark, []string{"M"}, inPlayer, txtHelpPrevMark},
	{actPlay, []string{" "}, inPlayer, txtHelpPlay},
	{actFaster, []string{"+", "="}, inPlayer, txtHelpFaster},
	{actSlower, []string{"-"}, inPlayer, txtHelpSlower},
	{actNextVariant, []string{"v"}, inPlayer, txtHelpNextVariant},
	{actPrevVariant, []string{"V"}, inPlayer, txtHelpPrevVariant},
	{actNextPane, []string{"tab"}, inPlayer, txtHelpNextPane},
	{actPrevPane, []string{"shift+tab"}, inPlayer, txtHelpPrevPane},
	{actEnlarge, []string{"z", "enter"}, inPlayer, txtHelpEnlarge},
	{actUp, []string{"up", "k"}, inPlayer, txtHelpPaneUp},
	{actDown, []string{"down", "j"}, inPlayer, txtHelpPaneDown},
	{actPageUp, []string{"pgup"}, inPlayer, txtHelpPageUp},
	{actPageDown, []string{"pgdown"}, inPlayer, txtHelpPageDown},
	{actSearch, []string{"/"}, inPlayer, txtHelpSearch},
	{actNextHit, []string{"n"}, inPlayer, txtHelpNextHit},
	{actPrevHit, []string{"N"}, inPlayer, txtHelpPrevHit},
	{actFuture, []string{"f"}, inPlayer, txtHelpFuture},
	{actNextClients, []string{"u"}, inPlayer, txtHelpNextClients},
	{actPrevClients, []string{"U"}, inPlayer, txtHelpPrevClients},
	{actText, []string{"t"}, inPlayer | inPage, txtHelpText},
	{actBack, []string{"q", "esc"}, inPlayer | inPage, txtHelpBack},
	{actBack, []string{"left", "h", "q", "esc"}, inGuide, txtHelpBack},
	{actOpen, []string{"enter", "right", "l"}, inGuide, txtHelpAnswer},
	{actUp, []string{"up", "k"}, inGuide, txtHelpUp},
	{actDown, []string{"down", "j"}, inGuide, txtHelpDown},

	{actOpen, []string{"enter", "right", "l"}, inList, txtHelpOpen},
	{actFilter, []string{"/"}, inList, txtHelpFilter},
	{actClearFilter, []string{"esc"}, inList, txtHelpClearFilter},
	{actNextChapter, []string{"tab", "]"}, inList, txtHelpNextChapter},
	{actPrevChapter, []string{"shift+tab", "["}, inList, txtHelpPrevChapter},
	{actUp, []string{"up", "k"}, inList | inPage, txtHelpUp},
	{actDown, []string{"down", "j"}, inList | inPage, txtHelpDown},
	{actPageUp, []string{"pgup"}, inList | inPage, txtHelpPageUp},
	{actPageDown, []string{"pgdown", " "}, inList | inPage, txtHelpPageDown},
	{actFirst, []string{"g", "home"}, inList | inPage, txtHelpFirst},
	{actLast, []string{"G", "end"}, inList | inPage, txtHelpLast},
	{actQuit, []string{"q"}, inList, txtHelpQuit},

	{actGlossary, []string{"K"}, anywhere, txtHelpGlossary},
	{actGuide, []string{"W"}, anywhere, txtHelpGuide},
	{actLang, []string{"L"}, anywhere, txtHelpLang},
	{actHelp, []string{"?"}, anywhere, txtHelpHelp},
	{actSuspend, []string{"ctrl+z"}, anywhere, txtHelpSuspend},
	{actQuit, []string{"ctrl+c"}, anywhere, txtHelpQuit},
}

// lookUp is what a key does in a scope.
func lookUp(in scope, key string) action {
	for i := range bindings {
		if bindings[i].scope&in == 0 {
			continue
		}
		for _, k := range bindings[i].keys {
			if k == key {
				return bindings[i].action
			}
		}
	}
	return actNone
}

// keyOf is the first key of an action in a scope, as it is shown.
func (t *theme) keyOf(in scope, act action) string {
	for i := range bindings {
		if bindings[i].scope&in != 0 && bindings[i].action == act {
			return t.keyName(bindings[i].keys[0])
		}
	}
	return ""
}

// keyNames lists the keys of a binding.
func (t *theme) keyNames(b *binding) string {
	names := make([]string, len(b.keys))
	for i, k := range b.keys {
		names[i] = t.keyName(k)
	}
	return strings.Join(names, " ")
}

// keyName is how a key is shown.
func (t *theme) keyName(key string) string {
	switch key {
	case " ":
		return "space"
	case "pgdown":
		return "pgdn"
	case "shift+tab":
		return "S-tab"
	case "ctrl+c":
		return "^C"
	case "ctrl+z":
		return "^Z"
	}
	if !t.ascii {
		switch key {
		case "left":
			return "←"
		case "right":
			return "→"
		case "up":
			return "↑"
		case "down":
			return "↓"
		}
	}
	return key
}
