package script

import (
	"slices"
	"strings"
)

// faultForm is one way to write a fault. The pattern is the grammar: lower case
// is written as it stands, upper case is filled in.
//
//	CLIENT, NODE, ACTOR    a name; ACTOR is either of the two
//	GROUP                  names of clients and nodes, separated by commas
//	SIDE                   before or after
//	DIR                    request or reply
//	COMMAND                the Nth command of the client: GET or GET#2
//	STATE                  empty, snapshot or log: what a node starts from
//	T, D                   an instant, a duration
type faultForm struct{ pattern, summary, example string }

var faultForms = []faultForm{
	{"crash CLIENT SIDE COMMAND",
		"the process dies before it sends the command, or once it has the answer", "crash A before EXPIRE"},
	{"crash CLIENT at T",
		"the process dies", "crash A at 42s"},
	{"pause CLIENT SIDE COMMAND for D",
		"everything in the process stands still, the watchdog too: garbage collection, SIGSTOP", "pause A after GET for 400ms"},
	{"pause CLIENT at T for D",
		"the same at an instant", "pause A at 5s for 15s"},
	{"drop DIR of CLIENT COMMAND",
		"the message does not arrive", "drop reply of B SET#2"},
	{"delay DIR of CLIENT COMMAND by D",
		"the message takes so much longer", "delay reply of B SET by 3s"},
	{"hold DIR of CLIENT COMMAND until T",
		"the message arrives at an instant", "hold reply of B SET until 3s"},
	{"break DIR of CLIENT COMMAND",
		"the message is lost together with the connection, which the client learns at once", "break reply of B SET"},
	{"duplicate request of CLIENT COMMAND",
		"the request arrives twice; the client gets the first answer", "duplicate request of A SET"},
	{"disconnect CLIENT at T",
		"the client's connections break, and both ends notice at once", "disconnect A at 5s"},
	{"vanish ACTOR at T",
		"the client or node is lost with its machine, so nobody closes its connections", "vanish A at 5s"},
	{"expire CLIENT at T",
		"the store ends the client's session, as if it had heard nothing for too long", "expire A at 5s"},
	{"kill NODE at T",
		"the node's process dies", "kill redis at 5s"},
	{"restart NODE at T from STATE",
		"the node starts again with nothing, with its last snapshot, or with its log", "restart redis at 6s from snapshot"},
	{"save NODE at T",
		"the node takes a snapshot", "save redis at 1s"},
	{"offset ACTOR by D",
		"the clock is ahead from the beginning", "offset A by 5s"},
	{"jump ACTOR by D at T",
		"the clock jumps ahead", "jump redis by 20s at 3s"},
	{"set-back ACTOR by D at T",
		"the clock jumps back", "set-back redis by 1h at 3s"},
	{"drift ACTOR by D every D",
		"the clock gains so much in so much time", "drift redis by 10ms every 1s"},
	{"partition GROUP GROUP from T to T",
		"no message passes between the two sides", "partition A redis from 1s to 5s"},
	{"block GROUP GROUP from T to T",
		"no message passes from the first side to the second; the other direction works", "block redis A from 1s to 5s"},
}

// Faults are the things that can go wrong. The first word of Args follows the
// kind of the fault; a kind can have several forms.
func Faults() []Entry {
	out := make([]Entry, len(faultForms))
	for i, f := range faultForms {
		kind, args, _ := strings.Cut(f.pattern, " ")
		out[i] = Entry{Name: kind, Args: args, Summary: f.summary, Example: f.example}
	}
	return out
}

// words are the parts of the pattern behind the kind.
func (f faultForm) words() []string { return strings.Fields(f.pattern)[1:] }

func (f faultForm) kind() string {
	kind, _, _ := strings.Cut(f.pattern, " ")
	return kind
}

func faultKinds() []string {
	var out []string
	for _, f := range faultForms {
		out = append(out, f.kind())
	}
	return slices.Compact(out)
}

// The words that the slots with a fixed choice accept.
var (
	sides      = []string{"before", "after"}
	directions = []string{"request", "reply"}
	states     = []string{"empty", "snapshot", "log"}
)

// alternatives lists the words that can stand for a word of a pattern; none
// means any.
func alternatives(word string) []string {
	switch word {
	case "SIDE":
		return sides
	case "DIR":
		return directions
	case "STATE":
		return states
	}
	if isSlot(word) {
		return nil
	}
	return []string{word}
}

func isSlot(word string) bool { return strings.ToUpper(word) == word }

// slotHelp says in a message what was expected.
var slotHelp = map[string]string{
	"CLIENT":  "a client",
	"NODE":    "a node of the store",
	"ACTOR":   "a client or a node of the store",
	"GROUP":   "clients and nodes of the store, such as A,redis",
	"COMMAND": "a command such as SET or SET#2",
	"T":       "an instant such as 5s",
	"D":       "a duration such as 5s",
}

// timeField is the field of f for the T or D behind a word of a pattern.
func (f *Fault) timeField(before string) **Value {
	switch before {
	case "at":
		return &f.At
	case "from":
		return &f.From
	case "until", "to":
		return &f.Until
	case "for":
		return &f.For
	case "every":
		return &f.Every
	}
	return &f.By
}

// Actors are the clients and nodes that f names.
func (f *Fault) Actors() []Word {
	if f.Target.Text == "" {
		return slices.Concat(f.Sides[0], f.Sides[1])
	}
	return []Word{f.Target}
}

// form is the one way in which f is written.
func (f *Fault) form() faultForm {
	i := slices.IndexFunc(faultForms, func(form faultForm) bool {
		placed := strings.Contains(form.pattern, "COMMAND")
		return form.kind() == f.Kind.Text && placed == (f.Place != nil)
	})
	return faultForms[max(i, 0)]
}

// String is the fault as it is written, without "fault" and without the
// condition.
func (f *Fault) String() string {
	form := f.form()
	out := []string{f.Kind.Text}
	before, side := "", 0
	for _, w := range form.words() {
		if w == "GROUP" {
			out = append(out, strings.Join(texts(f.Sides[side]), ","))
			side++
		} else {
			out = append(out, f.word(w, before))
		}
		before = w
	}
	return strings.Join(out, " ")
}

func (f *Fault) word(w, before string) string {
	switch w {
	case "CLIENT", "ACTOR", "NODE":
		return f.Target.Text
	case "STATE":
		return f.State
	case "DIR":
		return f.Dir
	case "SIDE":
		if f.Place.Before {
			return "before"
		}
		return "after"
	case "COMMAND":
		return f.Place.Command.Text + ordinal(f.Place.Nth)
	case "T", "D":
		return (*f.timeField(before)).Text
	}
	return w
}
