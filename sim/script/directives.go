package script

import "slices"

// directive is a row of the table of directives: what one can write at the
// start of a line.
type directive struct {
	Entry
	once     bool // at most one line in a file
	required bool // at least one line in a file
	joined   bool // all items of the scenario fit on one line
	verbatim bool // the rest of the line is not cut into tokens

	// parse reads the line into the scenario. Mistakes go to the parser.
	parse func(*parser, source)
	// print gives the items of a line as text, one string for each row.
	print func(*Scenario, line) []string
	// count is the number of items that the scenario has of this directive.
	count func(*Scenario) int
}

// directives is the language, in the canonical order of a file.
var directives = []directive{
	{Entry: Entry{"title", "TEXT", "what the scenario shows, in at most 60 cells; the first directive", "title DEL deletes another's lock"},
		once: true, required: true, verbatim: true,
		parse: (*parser).title, print: printTitle,
		count: func(s *Scenario) int { return present(s.Title != "") }},
	{Entry: Entry{"store", "STORE …", "the backend, or those that the kinds of lock of the variants choose from", "store redis"},
		once: true, required: true,
		parse: (*parser).store, print: printStore,
		count: func(s *Scenario) int { return present(len(s.Stores) > 0) }},
	{Entry: Entry{"lock", "KEY …", "the keys of the locks that the scenario is about; steps and expectations that name none mean the first", "lock lock:order:1"},
		once: true, required: true, verbatim: true,
		parse: (*parser).lock, print: printLock,
		count: func(s *Scenario) int { return present(len(s.Locks) > 0) }},
	{Entry: Entry{"param", "NAME=VALUE …", "parameters: those of the language, or new ones of the scenario's own", "param ttl=300ms work=400ms"},
		joined: true,
		parse:  (*parser).params, print: printParams,
		count: func(s *Scenario) int { return len(s.Params) }},
	{Entry: Entry{"resource", "NAME=N [min=N]", "something that clients read and write, and its value at the start", "resource stock=1 min=0"},
		parse: (*parser).resource, print: printResource,
		count: func(s *Scenario) int { return len(s.Resources) }},
	{Entry: Entry{"check", "INVARIANT …", "the invariants to judge by, instead of the default ones", "check mutual-exclusion only-owner-releases"},
		once: true, joined: true,
		parse: (*parser).checks, print: printChecks,
		count: func(s *Scenario) int { return len(s.Checks) }},
	{Entry: Entry{"until", "T", "when the run ends, if not at the time when everything has come to rest", "until 60s"},
		once:  true,
		parse: (*parser).until, print: printUntil,
		count: func(s *Scenario) int { return present(s.Until != nil) }},
	{Entry: Entry{"variant", "NAME [PARAM=VALUE …] expect VERDICT",
		"a run with some parameters changed, and its verdict: no-violation, or violation INVARIANT, INVARIANT, …",
		"variant del-unlock kind=redis/plain-delete expect violation only-owner-releases"},
		required: true,
		parse:    (*parser).variant, print: printVariant,
		count: func(s *Scenario) int { return len(s.Variants) }},
	{Entry: Entry{"client", "NAME [when variant=V,…]: STEP; STEP; …", "a client and its steps, each as soon as the one before has ended; `NAME[N] every D` is a group NAME1 to NAMEN whose members begin one after the other",
		"client A: acquire; work $work; release"},
		required: true,
		parse:    (*parser).client, print: printClient,
		count: func(s *Scenario) int { return len(s.Clients) }},
	{Entry: Entry{"fault", "FAULT [when variant=V,…]", "something that goes wrong at a place", "fault pause A after GET for 400ms"},
		parse: (*parser).fault, print: printFault,
		count: func(s *Scenario) int { return len(s.Faults) }},
	{Entry: Entry{"mark", "NAME at T [when variant=V,…]", "a name for an instant or for the end of the run, which the narration refers to", "mark a-expires at 300ms"},
		parse: (*parser).mark, print: printMark,
		count: func(s *Scenario) int { return len(s.Marks) }},
	{Entry: Entry{"expect", "SUBJECT OP VALUE, … [when variant=V,…]", "what has to be found in the run", "expect A.release = not-held"},
		required: true,
		parse:    (*parser).expect, print: printExpect,
		count: func(s *Scenario) int { return len(s.Expects) }},
	{Entry: Entry{"measure", "NAME = SUBJECT [- SUBJECT or - T] [when variant=V,…]", "a column of the table that compares the variants", "measure waited = A.release.at - A.release.start"},
		parse: (*parser).measure, print: printMeasure,
		count: func(s *Scenario) int { return len(s.Measures) }},
	{Entry: Entry{"trace", "VARIANT", "what the variant did when it was recorded, between two lines ----", "trace del-unlock"},
		parse: (*parser).trace, print: printTrace,
		count: func(s *Scenario) int { return len(s.Goldens) }},
}

// Directives are the words that a line can begin with.
func Directives() []Entry {
	out := make([]Entry, len(directives))
	for i, d := range directives {
		out[i] = d.Entry
	}
	return out
}

func directiveNames() []string { return names(Directives()) }

func findDirective(name string) (*directive, bool) {
	i := slices.IndexFunc(directives, func(d directive) bool { return d.Name == name })
	if i < 0 {
		return nil, false
	}
	return &directives[i], true
}

func present(b bool) int {
	if b {
		return 1
	}
	return 0
}
