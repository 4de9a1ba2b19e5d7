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
		return nil, fmt.Errorf("%s is a folder: name one %s file in it", name, Ext)
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
// file, or else all files below it that end in .scn, in the order of their
// paths. There is always at least one.
func Files(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var out []string
	err = filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, Ext) {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no %s file in this folder or below", name, Ext)
	}
	return out, nil
}
