package script

import (
	"slices"
	"strconv"
)

// subject is one kind of thing that an expectation can look at.
type subject struct {
	Entry
	name, field string // Subject.Name and Subject.Field
	want        want
}

// want is what can stand on the right side of an expectation.
type want struct {
	typ   Type     // "" where only words can stand
	words []string // what can stand there besides
	list  bool     // several values, separated by commas
}

// none is what an expectation finds where there is nothing or nobody.
const none = "none"

var subjects = []subject{
	{Entry{"ACTOR.VERB[#N]", "OUTCOME", "how the step ended; N counts the steps with this verb", "A.release = not-held"},
		"step", "", want{words: names(Outcomes())}},
	{Entry{"ACTOR.VERB[#N].reply", "TEXT", "the store's last answer to the step, or the value that it read", "A.release.reply = 0"},
		"step", "reply", want{typ: typeText}},
	{Entry{"ACTOR.VERB[#N].start", "T, none", "when the step began", "B.try.start = 100ms"},
		"step", "start", want{typ: TypeDuration, words: []string{none}}},
	{Entry{"ACTOR.VERB[#N].at", "T, none", "when the step ended", "B.acquire.at >= 350ms"},
		"step", "at", want{typ: TypeDuration, words: []string{none}}},
	{Entry{"ACTOR.VERB[#N].took", "D, none", "how long it took", "B.acquire.took < 1s"},
		"step", "took", want{typ: TypeDuration, words: []string{none}}},
	{Entry{"ACTOR.sends[COMMAND]", "N", "how often the client sent the command", "A.sends[SET] = 1"},
		"sends", "", want{typ: TypeInteger}},
	{Entry{"ACTOR.sends[COMMAND].at", "T, T, … or none", "when it sent it", "A.sends[SET].at = 0s"},
		"sends", "at", want{typ: TypeDuration, words: []string{none}, list: true}},
	{Entry{"ACTOR.sends[COMMAND].reply", "TEXT", "the store's last answer to that command", "A.sends[DEL].reply = 1"},
		"sends", "reply", want{typ: typeText}},
	{Entry{"ACTOR.token[#N]", "N, none", "the fencing token of the client's Nth grant", "A.token = 1"},
		"token", "", want{typ: TypeInteger, words: []string{none}}},
	{Entry{"owner at T", "CLIENT, none", "who owns the lock in the store", "owner at 350ms = B"},
		"owner", "", want{typ: typeClient, words: []string{none}}},
	{Entry{"believers at T", "CLIENT, CLIENT, … or none", "who believes to hold the lock", "believers at 350ms = A, B"},
		"believers", "", want{typ: typeClient, words: []string{none}, list: true}},
	{Entry{"ttl at T", "D, none, gone", "the time that the lock's key has left; none: no end; gone: no key", "ttl at 350ms = none"},
		"ttl", "", want{typ: TypeDuration, words: []string{none, "gone"}}},
	{Entry{"value NAME at T", "N", "the value of a resource", "value stock at end = 0"},
		"value", "", want{typ: TypeInteger}},
	{Entry{"wakeups [of CLIENT] from T to T", "N", "how many clients were woken by a change that they waited for, from an instant on and before another", "wakeups from 100ms to 200ms = 9"},
		"wakeups", "", want{typ: TypeInteger}},
	{Entry{"requests [of CLIENT] from T to T", "N", "how many requests clients sent to the store, in the same way", "requests of A from 0s to end = 2"},
		"requests", "", want{typ: TypeInteger}},
	{Entry{"hand-off from T to T", "D, none", "the mean time in which the lock was free while somebody waited for it, over all releases from an instant on and before another", "hand-off from 0s to end < 5ms"},
		"hand-off", "", want{typ: TypeDuration, words: []string{none}}},
	{Entry{"waiting at T", "N", "how many clients wait for a lock that they have asked for or, in a database, for a row or a connection", "waiting at 100ms = 9"},
		"waiting", "", want{typ: TypeInteger}},
	{Entry{"violation[INVARIANT].at", "T, none", "when the invariant was first found broken", "violation[mutual-exclusion].at = 351ms"},
		"violation", "at", want{typ: TypeDuration, words: []string{none}}},
}

// Subjects are what expectations look at; Args says what the value can be.
func Subjects() []Entry {
	out := make([]Entry, len(subjects))
	for i, s := range subjects {
		out[i] = s.Entry
	}
	return out
}

func findSubject(name, field string) (subject, bool) {
	i := slices.IndexFunc(subjects, func(s subject) bool { return s.name == name && s.field == field })
	if i < 0 {
		return subject{}, false
	}
	return subjects[i], true
}

// fields lists what can stand behind a subject after the dot.
func fields(name string) []string {
	var out []string
	for _, s := range subjects {
		if s.name == name && s.field != "" {
			out = append(out, s.field)
		}
	}
	return out
}

// subjectWords are the first words of subjects that do not begin with a client.
var subjectWords = []string{"owner", "believers", "ttl", "value", "waiting", "wakeups", "requests", "hand-off", "violation"}

// String is the subject as it is written.
func (s Subject) String() string {
	at := orEnd(s.At)
	out := ""
	switch s.Name {
	case "step":
		out = s.Actor + "." + s.Verb + ordinal(s.Nth)
	case "sends":
		out = s.Actor + ".sends[" + s.Arg + "]"
	case "token":
		out = s.Actor + ".token" + ordinal(s.Nth)
	case "violation":
		out = "violation[" + s.Arg + "]"
	case "value":
		return "value " + s.Arg + " at " + at
	case "wakeups", "requests", "hand-off":
		of := ""
		if s.Actor != "" {
			of = " of " + s.Actor
		}
		return s.Name + of + " from " + s.From.Text + " to " + orEnd(s.At)
	default:
		return s.Name + " at " + at
	}
	if s.Field != "" {
		out += "." + s.Field
	}
	return out
}

// orEnd is an instant as it is written.
func orEnd(at *Value) string {
	if at == nil {
		return "end"
	}
	return at.Text
}

// ordinal is how the number of an occurrence is written; the first needs none.
func ordinal(n int) string {
	if n <= 1 {
		return ""
	}
	return "#" + strconv.Itoa(n)
}
