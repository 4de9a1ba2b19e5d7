package tui

// glyphs is a set of signs. Each is one cell wide unless it says otherwise.
type glyphs struct {
	ellipsis string // any width

	cursor, gap, rule, column string

	// Lanes.
	lane, paused, pausedMark, ended string
	crashed                         string
	holds, doubts, works            string // what a client claims, see claim
	store                           string // a store's lane while the lock is held

	// Arrows.
	end, left, right, openLeft, openRight string
	line, dash, cross, lost               string

	// Rows.
	call, ret, receive, expire, fault, resume, note string
	broken, parted, mark, hit                       string // flags

	// Panes.
	yes, no       string // any width
	full, rest    string // a bar
	bullet, quote string
	executing     string
	changed, gone string
	more, up      string
	play          string
	to, from      string // any width
	separator     string // any width
	selected      string
}

var unicodeGlyphs = glyphs{
	ellipsis: "…",
	cursor:   "▸", gap: "┊", rule: "─", column: "│",

	lane: "│", paused: "┊", pausedMark: "z", ended: " ", crashed: "╳",
	holds: "█", doubts: "▒", works: "░", store: "┃",

	end: "●", left: "◀", right: "▶", openLeft: "◁", openRight: "▷",
	line: "─", dash: "╌", cross: "┼", lost: "✗",

	call: "┌", ret: "└", receive: "◂", expire: "○", fault: "!", resume: "↻", note: "·",
	broken: "✗", parted: "≠", mark: "◆", hit: "/",

	yes: "✓", no: "✗", full: "█", rest: "░",
	bullet: "•", quote: "│", executing: "▶", changed: "◂", gone: "−",
	more: "▼", up: "▲", play: "▶", to: "→", from: "←", separator: " · ",
	selected: "▸",
}

var asciiGlyphs = glyphs{
	ellipsis: "..",
	cursor:   ">", gap: ":", rule: "-", column: "|",

	lane: "|", paused: ":", pausedMark: "z", ended: " ", crashed: "X",
	holds: "#", doubts: "%", works: "~", store: "H",

	end: "o", left: "<", right: ">", openLeft: "(", openRight: ")",
	line: "-", dash: ".", cross: "+", lost: "x",

	call: "+", ret: "'", receive: "<", expire: "o", fault: "!", resume: "@", note: "*",
	broken: "x", parted: "!", mark: "*", hit: "/",

	yes: "ok", no: "x", full: "#", rest: ".",
	bullet: "-", quote: "|", executing: ">", changed: "<", gone: "-",
	more: "v", up: "^", play: ">", to: "->", from: "<-", separator: " | ",
	selected: ">",
}

// typography maps signs of lesson texts to plain ones of the same width.
var typography = map[string]string{
	"‘": "'", "’": "'", "“": `"`, "”": `"`, "–": "-", "—": "-", "−": "-", "…": "~",
	"·": "|", "•": "-", "×": "x", "→": ">", "←": "<", "⇒": ">", "≤": "<", "≥": ">",
	"≠": "!", "≈": "~", "✓": "+", "✗": "x", "\u00a0": " ", "½": "~", "µ": "u",
}

// plainASCII replaces a character that is not ASCII by one that is. Characters of
// a script, such as Chinese ones, stay: there is nothing to put in their place.
func plainASCII(char string) string {
	if s, ok := typography[char]; ok {
		return s
	}
	return char
}
