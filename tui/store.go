package tui

import (
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// barWidth is the length of the bar of a key in the pane of the store.
const barWidth = 8

// stores is what the resources and stores hold, with the time that is left. What
// the step has changed is marked; a key that it removed is shown once more. The
// resources come first: where the pane is short, their values are what a lesson
// is about.
func (s *scene) stores(width int) content {
	c := content{title: s.tr(txtPaneStore)}
	stores, resources := s.keepers()
	for _, name := range resources {
		c.lines = append(c.lines, s.keys(name, width)...)
	}
	if len(stores) == 1 {
		c.title += s.sign.separator + stores[0]
	}
	for _, name := range stores {
		if len(stores) > 1 {
			c.lines = append(c.lines, cells.Line{{Text: name, Look: title}})
		}
		c.lines = append(c.lines, s.keys(name, width)...)
	}
	return c
}

// keepers are the actors that hold keys, in the order of the lanes, without
// resources that are still empty.
func (s *scene) keepers() (stores, resources []string) {
	for i := range s.world.Actors {
		switch a := &s.world.Actors[i]; {
		case a.Role == trace.RoleStore:
			stores = append(stores, a.Name)
		case len(s.world.KeysOf(a.Name)) > 0:
			resources = append(resources, a.Name)
		}
	}
	return stores, resources
}

func (s *scene) keys(store string, width int) []cells.Line {
	var lines []cells.Line
	for _, k := range s.world.KeysOf(store) {
		lines = append(lines, s.keyLines(k, width)...)
	}
	for _, c := range s.changes() {
		if c.Deleted && c.Store == store {
			text := s.fit(s.sign.gone+" "+s.trf(txtKeyDeleted, c.Key), width)
			lines = append(lines, cells.Line{{Text: text, Look: dim}})
		}
	}
	if lines == nil {
		return []cells.Line{{{Text: s.fit(s.tr(txtEmpty), width), Look: dim}}}
	}
	return lines
}

// keyLines are the key with its value, and its time to live.
func (s *scene) keyLines(k trace.KeyChange, width int) []cells.Line {
	look, flag := plain, ""
	if slices.Contains(s.changes(), k) {
		look, flag = cells.Bold, " "+s.sign.changed
	}
	room := width - cells.Width(flag)
	pair := s.choose(room, k.Key+" = "+k.Value, s.sign.ellipsis+tail(k.Key)+" = "+k.Value, s.sign.ellipsis+" = "+k.Value)
	lines := []cells.Line{{{Text: pair, Look: look}, {Text: flag, Look: accent}}}
	if k.Expires == 0 {
		if s.isStore(k.Store) {
			lines = append(lines, cells.Line{{Text: s.fit("  "+s.tr(txtNoExpiry), width), Look: dim}})
		}
		return lines
	}
	left := max(k.Expires-s.world.At, 0)
	text := s.choose(width-barWidth-3,
		s.trf(txtTimeLeftOf, clockText(left), clockText(k.TTL)), clockText(left))
	return append(lines, cells.Line{
		{Text: "  "}, {Text: s.bar(barWidth, left, k.TTL), Look: storeLook}, {Text: " " + text},
	})
}

// tail is the last part of a key, with its colon: what tells keys apart that
// begin alike.
func tail(key string) string { return key[max(0, strings.LastIndexByte(key, ':')):] }

func (s *scene) isStore(name string) bool {
	a, ok := s.world.Actor(name)
	return ok && a.Role == trace.RoleStore
}

// changes are the keys that the step under the cursor has changed.
func (s *scene) changes() []trace.KeyChange {
	if e := s.event(); e != nil {
		return e.Changes
	}
	return nil
}
