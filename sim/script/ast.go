// Package script is the scenario language: it reads scenario files, says what is
// wrong with them, formats and rewrites them.
//
// What belongs here: the syntax tree, the parser, the formatter, the tables of
// directives, verbs, faults and subjects that drive both, and the reference that
// is generated from the tables. What does not: running a scenario and comparing
// (package runner), the lock algorithms (impl), and anything about go test: the
// terminal, the command line and the tests all load the same files through this
// package.
package script

import "time"

// Pos is a position in a scenario file; both count from 1, Col in bytes.
type Pos struct{ Line, Col int }

// Scenario is one parsed file.
type Scenario struct {
	// File is the name used in messages; ID is the path under scenarios/
	// without extension, or for a file of the user's own its name as
	// [Printable] shows it.
	File, ID string

	Title     string
	Stores    []Word // the backends that variants can run on
	Locks     []Word // keys of the locks that the scenario is about, the main one first
	Params    []Setting
	Resources []Resource
	Checks    []Word // invariants to judge by; empty means the default ones
	Until     *Value // virtual end of the run; nil: when everything has come to rest
	Variants  []Variant
	Clients   []Client
	Faults    []Fault
	Marks     []Mark
	Expects   []Expect
	Measures  []Measure
	Goldens   []Golden

	// least are the shortest durations that parameters can stand for, because of
	// the places where they do.
	least map[string]time.Duration

	// lines keeps every line in order, comments included, for Format.
	lines []line
}

// Word is a name with its position.
type Word struct {
	Text string
	Pos  Pos
}

// Value is a literal or a reference to a parameter: $name. Text is as written;
// what it means depends on where it stands (see [ParseDuration]).
type Value struct {
	Text string
	Pos  Pos
}

// Lock is the key of the lock that the scenario is mainly about.
func (s *Scenario) Lock() string {
	if len(s.Locks) == 0 {
		return ""
	}
	return s.Locks[0].Text
}

// Setting is NAME=VALUE.
type Setting struct {
	Name  Word
	Value Value
}

// Resource is a protected thing that clients read and write: NAME=INITIAL, an
// integer, with an optional lower bound (min=N) that the check no-oversell
// watches.
type Resource struct {
	Name    Word
	Initial Value
	Min     *Value
}

// Variant runs the scenario with some settings changed.
type Variant struct {
	Name Word
	Set  []Setting
	// Violates lists the invariants that this variant must break; empty means
	// that it must break none.
	Violates []Word
}

// Client is one client, or a group of them, and what it does, one step after the
// other.
type Client struct {
	Name Word
	// Count is the number of clients of a group, which are called NAME1, NAME2
	// and so on; nil for a single client. Each begins Every later than the one
	// before: its times are counted from then.
	Count, Every *Value

	When  []Word // variants it takes part in with these steps; empty means all
	Steps []Step
}

// Step is one action of a client.
type Step struct {
	// At delays the step until a virtual time, After by a duration; at most
	// one is set.
	At, After *Value
	Verb      Word
	Args      []Value   // positional arguments: work 400ms
	Opts      []Setting // named arguments: acquire ttl=5s
	Flags     []Word    // bare words after the arguments: work 5s until-lost
}

// Fault is something that goes wrong at a place.
type Fault struct {
	Pos    Pos
	Kind   Word // crash, pause, drop, partition, kill, …: the first word of its form
	Target Word // the client or node; empty for a partition
	// Sides are the two sides of a partition.
	Sides [2][]Word
	Place *Place
	// State is what a node starts from: empty, snapshot or log.
	State string
	// Dir is "request" or "reply" for faults of messages.
	Dir string
	// At, Until and From are virtual times, For, By and Every durations.
	At, From, Until, For, By, Every *Value
	When                            []Word
}

// Place is an instant named by what a client does: before or after its Nth
// Command (from 1).
type Place struct {
	Before  bool
	Command Word
	Nth     int
}

// Mark names an instant for the narration.
type Mark struct {
	Name Word
	At   *Value // nil is the end of the run
	When []Word
}

// Expect is one hand-written expectation: SUBJECT OP VALUE.
type Expect struct {
	Pos     Pos
	Text    string // as formatted, without "expect" and without the condition
	Subject Subject
	Op      string // =, !=, <, <=, >, >=
	Want    []Value
	When    []Word
}

// Measure is a number of every run that is worth comparing between variants: a
// column of a table. It is SUBJECT or SUBJECT - SUBJECT or SUBJECT - INSTANT.
type Measure struct {
	Name    Word
	Subject Subject
	// Less is subtracted, or else From is; both are nil where nothing is.
	Less *Subject
	From *Value
	When []Word
}

// Subject is what an expectation looks at.
type Subject struct {
	Pos Pos
	// Name is the kind of subject (see the table of subjects), such as
	// "step", "sends", "token", "owner", "believers", "ttl", "value",
	// "violation".
	Name  string
	Actor string // step, sends, token; wakeups, requests: empty for all clients
	Verb  string // step
	Nth   int    // step, token: which one, from 1
	Field string // step: "", "reply", "start", "at", "took"; sends, violation: "", "at"
	Arg   string // sends: the command; value: the resource; violation: the invariant
	// At is the instant for owner, believers, ttl, value and waiting, and the end
	// of the time from From on for wakeups and requests; nil means the end.
	From, At *Value
}

// Golden is the recorded trace of one variant, as it stands in the file.
type Golden struct {
	Variant Word
	Lines   []string
}

// ParseDuration reads a duration or virtual time: Go's syntax (400ms, 1.5s,
// 2m), from 0 to 10,000 hours.
func ParseDuration(s string) (time.Duration, error) { return parseDuration(s) }
