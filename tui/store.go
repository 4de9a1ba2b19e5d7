package tui

import (
	"cmp"
	"slices"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// barWidth is the length of the bar of a key in the pane of the store.
const barWidth = 8

// keyWidth is what is left of a key at least when its value needs the room.
const keyWidth = 7

// keeper is an actor that holds keys, with those that the pane shows.
type keeper struct {
	name   string
	role   trace.Role
	keys   []keyRow
	latest int // the last step that changed one of the keys
}

// keyRow is a key that is there, or that the step has removed.
type keyRow struct {
	trace.KeyChange
	changedAt int
}

// stores is what the stores and resources hold, with the time that is left. What
// the step has changed is marked; a key that it removed is shown once more.
// Resources come first: their values are what a lock is there for. Where the
// rows are too few for everything, what has changed last comes first and what
// never expires is not said to.
func (s *scene) stores(width, height int) content {
	keepers := s.keepers()
	c := s.storeContent(keepers, width, false)
	if len(c.lines) <= height {
		return c
	}
	for _, k := range keepers {
		slices.SortStableFunc(k.keys, func(a, b keyRow) int { return cmp.Compare(b.changedAt, a.changedAt) })
	}
	slices.SortStableFunc(keepers, func(a, b keeper) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(b.latest, a.latest))
	})
	return s.storeContent(keepers, width, true)
}

// storeContent lists the keepers. A single one that has to be named is named in
// the title.
func (s *scene) storeContent(keepers []keeper, width int, short bool) content {
	c := content{title: s.tr(txtPaneStore)}
	named := slices.DeleteFunc(slices.Clone(keepers), func(k keeper) bool { return !k.isNamed() })
	if len(named) == 1 {
		c.title += s.sign.separator + named[0].name
	}
	for _, k := range keepers {
		if len(k.keys) == 0 {
			c.lines = append(c.lines, cells.Line{{Text: s.fit(s.empty(k.name, len(keepers)), width), Look: dim}})
			c.lines = append(c.lines, s.sessionLines(k.name, width)...)
			continue
		}
		if len(named) > 1 && k.isNamed() {
			c.lines = append(c.lines, cells.Line{{Text: s.fit(k.name, width), Look: title}})
		}
		for _, row := range k.keys {
			c.lines = append(c.lines, s.keyLines(row, k.isStore() && !short, width)...)
		}
		c.lines = append(c.lines, s.sessionLines(k.name, width)...)
	}
	return c
}

// empty says that a store has no keys, and which one if there are others.
func (s *scene) empty(name string, keepers int) string {
	if keepers == 1 {
		return s.tr(txtEmpty)
	}
	return s.trf(txtIsEmpty, name)
}

func (k *keeper) isStore() bool { return k.role == trace.RoleStore }

// place is 0 for what stands before the stores.
func (k *keeper) place() int {
	if k.isStore() {
		return 1
	}
	return 0
}

// isNamed reports whether the keys do not tell by themselves whose they are. A
// resource keeps its value under its own name.
func (k *keeper) isNamed() bool {
	return k.isStore() || slices.ContainsFunc(k.keys, func(r keyRow) bool { return r.Key != k.name })
}

// keepers are the actors that hold keys, in the order of the lanes but resources
// first, without resources that are still empty, and without stores that never
// hold anything, such as sentinels.
func (s *scene) keepers() []keeper {
	var resources, stores []keeper
	for i := range s.world.Actors {
		k := keeper{name: s.world.Actors[i].Name, role: s.world.Actors[i].Role}
		k.keys = s.keyRows(k.name)
		for _, row := range k.keys {
			k.latest = max(k.latest, row.changedAt)
		}
		switch {
		case k.isStore() && (s.line.keeps[k.name] || len(s.line.keeps) == 0):
			stores = append(stores, k)
		case len(k.keys) > 0:
			resources = append(resources, k)
		}
	}
	return append(resources, stores...)
}

func (s *scene) keyRows(store string) []keyRow {
	var rows []keyRow
	for _, k := range s.world.KeysOf(store) {
		rows = append(rows, keyRow{k, s.line.changedAt(s.step, trace.KeyID{Store: store, Key: k.Key})})
	}
	for _, c := range s.changes() {
		if c.Deleted && c.Store == store {
			rows = append(rows, keyRow{c, s.step})
		}
	}
	return rows
}

// keyLines are the key with its value, and its time to live.
func (s *scene) keyLines(k keyRow, sayEndless bool, width int) []cells.Line {
	if k.Deleted {
		return []cells.Line{{{Text: s.deleted(k.Key, width), Look: dim}}}
	}
	look, flag := plain, ""
	if s.step > 0 && k.changedAt == s.step {
		look, flag = cells.Bold, " "+s.sign.changed
	}
	lines := []cells.Line{{
		{Text: s.pair(k.Key, k.Value, width-cells.Width(flag)), Look: look}, {Text: flag, Look: accent},
	}}
	switch {
	case k.Expires > 0:
		lines = append(lines, s.timeLeft(k.KeyChange, width))
	case k.Session != "" && sayEndless:
		lines = append(lines, cells.Line{{Text: s.fit("  "+s.trf(txtWithSession, k.Session), width), Look: dim}})
	case sayEndless:
		lines = append(lines, cells.Line{{Text: s.fit("  "+s.tr(txtNoExpiry), width), Look: dim}})
	}
	if watchers := s.watchers()[trace.KeyID{Store: k.Store, Key: k.Key}]; len(watchers) > 0 {
		lines = append(lines, cells.Line{{Text: s.fit("  "+s.trf(txtWatchedBy, some(watchers)), width), Look: dim}})
	}
	return lines
}

// pair is a key with its value. The key gives way to the value as long as it can
// be told from others.
func (s *scene) pair(key, value string, width int) string {
	tail := " = " + value
	room := max(width-cells.Width(tail), keyWidth)
	return s.fit(cells.FitMiddle(key, room, s.sign.ellipsis)+tail, width)
}

// deleted says that a key is gone.
func (s *scene) deleted(key string, width int) string {
	room := width - cells.Width(s.sign.gone+" "+s.trf(txtKeyDeleted, ""))
	short := cells.FitMiddle(key, max(room, keyWidth), s.sign.ellipsis)
	return s.fit(s.sign.gone+" "+s.trf(txtKeyDeleted, short), width)
}

// timeLeft is the bar of a key that expires, with the time in words.
func (s *scene) timeLeft(k trace.KeyChange, width int) cells.Line {
	left := max(k.Expires-s.world.At, 0)
	text := s.choose(width-barWidth-3,
		s.trf(txtTimeLeftOf, clockText(left), clockText(k.TTL)), clockText(left))
	return cells.Line{{Text: "  "}, {Text: s.bar(barWidth, left, k.TTL), Look: storeLook}, {Text: " " + text}}
}

// changes are the keys that the step under the cursor has changed.
func (s *scene) changes() []trace.KeyChange {
	if e := s.event(); e != nil {
		return e.Changes
	}
	return nil
}
