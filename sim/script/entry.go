package script

// Entry is one row of a table of the language. The parser, its suggestions and
// the generated reference all read the same rows.
type Entry struct {
	Name    string // the word itself or, for patterns, the pattern
	Args    string // what is written after it
	Summary string // one sentence without a full stop
	Example string // what a line may look like; it is checked by a test
}

// names lists the first column of a table.
func names(rows []Entry) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.Name
	}
	return out
}
