// Package tui is the terminal interface: the list of lessons and the player that
// steps through the timeline of a run.
//
// What belongs here: showing a recorded run (sim/trace) and moving through it.
// What does not: running scenarios, finding texts and sources (a [Library]
// does), and any lock. The package imports neither impl nor the simulator's
// runner.
//
// # How a frame comes about
//
// A run is immutable. The player owns a cursor, which is the number of a step;
// moving is arithmetic on it. A frame is a function of the run, the cursor, the
// size, the theme and the language, so going back shows what was there before.
// What depends on the run alone is computed once when it is opened (timeline),
// and what is far from the cursor costs nothing.
//
// Everything is drawn on a grid of cells (internal/cells) that clips, counts
// Chinese characters as two cells and cannot produce a line that is too long.
//
// # The layout
//
// From top to bottom: the header, the lanes (names, what is left of each lease,
// the steps), the step under the cursor in full, one line that sets belief
// against truth, the panes for the store, the executing source and the
// invariants, the narration, the keys.
//
// It departs from the sketch in the design in these ways. There is no frame
// around it, because at 80×24 it would cost two columns and two rows of lanes.
// A request and its answer are three rows (sent, executed, received), because
// belief and truth change at different ones; an arrow under way is dashed until
// the cursor passes its arrival. What a lane believes stands in its own column
// in every row, so arrows begin beside it. A row of its own says where belief
// and truth part and where an invariant breaks. The pane with the focus can be
// enlarged, which is also how small terminals reach the panes that do not fit.
//
// # Crowds
//
// Where actors have no room, they share the last lane, which counts those that
// hold and those that wait; a key moves the lanes of their own to other clients.
// What a lane shows is kept as spans, one for each change, so a run of 1,000
// clients and 100,000 events costs no more than its events. Counters of requests,
// wake-ups and waiting clients, in total and for each instant, have a pane beside
// the narration; where there is no room for it, the totals stand at the right of
// the line of belief and truth.
package tui
