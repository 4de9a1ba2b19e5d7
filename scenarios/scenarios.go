// Package scenarios holds the scenario files of the lessons, finds them by name
// and replays them, a user's own files included.
//
// What belongs here: the files by topic, their names, and the comparison of a
// replay with what a file expects and has recorded. What does not: the language
// (sim/script), the meaning of it (sim/runner) and the texts of the lessons.
package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lockstep-sim/lockstep/internal/suggest"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// Ext is the extension of scenario files.
const Ext = ".scn"

//go:embed */*.scn
var files embed.FS

var ids = sync.OnceValue(func() []string {
	names, err := fs.Glob(files, "*/*"+Ext)
	if err != nil {
		panic(fmt.Sprintf("listing the embedded scenarios: %v", err)) // the pattern is malformed
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(n, Ext)
	}
	slices.Sort(names)
	return names
})

// List gives the IDs of the embedded scenarios in alphabetical order. An ID is
// the path below this folder without the extension: redis/02-del-mis-delete.
func List() []string { return slices.Clone(ids()) }

// Resolve completes a name to an ID: the ID itself, or a beginning of it that
// no other one has, such as redis/02.
func Resolve(name string) (string, error) {
	if slices.Contains(ids(), name) {
		return name, nil
	}
	var matches []string
	for _, id := range ids() {
		if strings.HasPrefix(id, name) {
			matches = append(matches, id)
		}
	}
	switch {
	case name == "" || len(matches) == 0:
		return "", unknown(name)
	case len(matches) > 1:
		return "", fmt.Errorf("%q can mean any of %s", name, enumerate(matches))
	}
	return matches[0], nil
}

// Load parses an embedded scenario. It takes what [Resolve] takes.
func Load(name string) (*script.Scenario, error) {
	id, err := Resolve(name)
	if err != nil {
		return nil, err
	}
	src, err := files.ReadFile(id + Ext)
	if err != nil {
		return nil, err
	}
	sc, err := script.Parse(path.Join("scenarios", id+Ext), src)
	if err != nil {
		return nil, err
	}
	sc.ID = id
	return sc, nil
}

// unknown complains about a name that is no scenario's. What was meant may be
// near to a whole ID or to a short form like redis/02.
func unknown(name string) error {
	known := List()
	for _, id := range ids() {
		known = append(known, short(id))
	}
	near, ok := suggest.Nearest(name, known)
	if !ok {
		return fmt.Errorf("no scenario %q: \"lockstep lessons\" lists them", name)
	}
	if id, err := Resolve(near); err == nil {
		near = id
	}
	return fmt.Errorf("no scenario %q: did you mean %q?", name, near)
}

// short is the topic and the number of an ID: redis/02.
func short(id string) string {
	s, _, _ := strings.Cut(id, "-")
	return s
}

// maxListed is how many scenarios a message names.
const maxListed = 6

func enumerate(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}
