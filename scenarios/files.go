package scenarios

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/script"
)

// Open loads the scenario that a user names: an embedded one, as [Load] does,
// or a file of the user's own, as [IsFile] decides.
func Open(name string) (*script.Scenario, error) {
	if !IsFile(name) {
		return Load(name)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name one %s file in it", script.Printable(name), Ext)
	}
	return LoadFile(name)
}

// IsFile tells whether a name stands for a file or folder of the user's own: it
// exists, ends in .scn, or is a path that no ID looks like; and it is not the
// whole ID of an embedded scenario.
func IsFile(name string) bool {
	if slices.Contains(ids(), name) {
		return false
	}
	_, err := os.Stat(name)
	return err == nil || strings.HasSuffix(name, Ext) || strings.HasPrefix(name, ".") || filepath.IsAbs(name)
}

// LoadFile parses a file of the user's own. A file that can be read but is no
// scenario gives a script.Errors with all that is wrong.
func LoadFile(name string) (*script.Scenario, error) { return script.ParseFile(name) }

// Files lists the scenario files that a path stands for: itself if it is a
// file, or else everything below it that ends in .scn and is no folder, in the
// order of their paths. What cannot be looked into, and a folder without any
// such file, is a problem; there is always a file or a problem, or both.
func Files(name string) (files []string, problems []error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, []error{script.FileError(name, err)}
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var f finder
	_ = filepath.WalkDir(name, f.visit) // f has the errors
	if len(f.files)+len(f.problems) == 0 {
		f.problems = append(f.problems, fmt.Errorf("%s: no %s file in this folder or below", script.Printable(name), Ext))
	}
	return f.files, f.problems
}

// finder collects what a walk through a folder comes across.
type finder struct {
	files    []string
	problems []error
}

// visit is an fs.WalkDirFunc. It never ends the walk: a folder that cannot be
// read hides no other one.
func (f *finder) visit(path string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		f.problems = append(f.problems, script.FileError(path, err))
	case !d.IsDir() && strings.HasSuffix(path, Ext):
		f.files = append(f.files, path)
	}
	return nil
}
