package script

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

//go:embed reference.md.tmpl
var referenceText string

//go:embed example.scn
var example string

// mistaken is the file whose errors the reference shows.
const mistaken = `title Three mistakes
store redis
lock lock:order:1
variant only expect violaton mutual-exclusion
client A: aquire; work 400; release
expect A.release = ok
`

// Reference is docs/scenario-language.md: the description of the language, made
// from the tables that drive the parser.
func Reference() []byte {
	_, mistakes := Parse("order.scn", []byte(mistaken))
	t := template.Must(template.New("reference").Funcs(template.FuncMap{
		"table": entryTable, "rows": summaryTable, "subjects": subjectTable, "kinds": kindTable,
		"codes": codes, "paramType": paramType,
	}).Parse(referenceText))
	var out bytes.Buffer
	// Writing to memory cannot fail, and a mistake in the template is one that
	// every run of the tests finds.
	_ = t.Execute(&out, map[string]any{
		"Example": example, "Mistakes": fmt.Sprintln(mistakes),
		"Directives": Directives(), "Verbs": Verbs(), "Outcomes": Outcomes(),
		"Faults": Faults(), "Subjects": Subjects(), "Invariants": Invariants(),
		"DefaultInvariants": defaultInvariants(),
		"Params":            Params(), "Kinds": kindEntries(), "Stores": Stores(),
		"ResourceCommands": resourceCommands, "Operators": operators,
		"MaxName": maxName, "MaxShown": maxShown, "Least": leastDurations(),
	})
	return out.Bytes()
}

func kindEntries() []Entry {
	var out []Entry
	for _, k := range kindNames() {
		out = append(out, Entry{Name: k, Args: strings.Join(Kinds[k].Stores, ", "), Summary: Kinds[k].Summary})
	}
	return out
}

// entryTable shows what is written, what it means, and an example.
func entryTable(rows []Entry) string {
	return markdownTable([]string{"write", "meaning", "example"}, rows, func(e Entry) []string {
		return []string{code(strings.TrimSpace(e.Name + " " + e.Args)), e.Summary, code(e.Example)}
	})
}

// subjectTable shows the values in a column of their own.
func subjectTable(rows []Entry) string {
	return markdownTable([]string{"subject", "value", "meaning", "example"}, rows, func(e Entry) []string {
		return []string{code(e.Name), e.Args, e.Summary, code(e.Example)}
	})
}

// kindTable shows the stores in a column of their own.
func kindTable(rows []Entry) string {
	return markdownTable([]string{"kind", "store", "what it is"}, rows, func(e Entry) []string {
		return []string{code(e.Name), e.Args, e.Summary}
	})
}

func summaryTable(name, summary string, rows []Entry) string {
	return markdownTable([]string{name, summary}, rows, func(e Entry) []string {
		return []string{code(e.Name), e.Summary}
	})
}

func markdownTable(head []string, rows []Entry, cells func(Entry) []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n", strings.Join(head, " | "))
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(head)))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells(r), " | "))
	}
	return b.String()
}

func paramType(p Param) string {
	switch {
	case p.Name == "kind":
		return "see below"
	case p.Type == TypeChoice:
		return codes(p.Choices)
	}
	return string(p.Type)
}

// leastDurations lists what has a shortest duration, with that.
func leastDurations() string {
	var out []string
	for _, place := range slices.Sorted(maps.Keys(least)) {
		out = append(out, fmt.Sprintf("%s %v", code(place), least[place]))
	}
	return strings.Join(out, ", ")
}

func code(s string) string { return "`" + s + "`" }

func codes(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = code(w)
	}
	return strings.Join(out, " ")
}
