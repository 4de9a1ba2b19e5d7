// Package impl is the root of the reference implementations and carries their
// source text, so that a program can show the line that it is executing.
//
// What belongs here: the text of the packages below. What does not: any code of
// a lock, which each have a package of their own.
package impl

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// sources are the folders with lock code. The servers in embedded are left out:
// no line of theirs is ever shown.
//
//go:embed *lock fencing internal likes
var sources embed.FS

// root comes before the paths inside sources, as it does in the module.
const root = "impl/"

// Source is the text of a file by its path in the module, such as
// "impl/redislock/mutex.go": Go files other than tests, and Lua scripts. The
// error says that there is no such file and wraps [fs.ErrNotExist].
func Source(file string) (string, error) {
	name, below := strings.CutPrefix(file, root)
	if !below || !shown(name) {
		return "", missing(file)
	}
	text, err := sources.ReadFile(name)
	if err != nil {
		return "", missing(file)
	}
	return string(text), nil
}

// Files are the paths that [Source] knows, in order.
func Files() []string {
	var out []string
	// The walk reads an embedded tree and passes no errors on: it cannot fail.
	_ = fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, _ error) error {
		if !d.IsDir() && shown(name) {
			out = append(out, root+name)
		}
		return nil
	})
	return out
}

func shown(name string) bool {
	return strings.HasSuffix(name, ".lua") ||
		strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

func missing(file string) error {
	return fmt.Errorf("no source text of %q: %w", file, fs.ErrNotExist)
}
