package impl_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/impl"
)

func TestSourceIsTheFileOnDisk(t *testing.T) {
	for _, file := range []string{
		"impl/redislock/mutex.go",
		"impl/redislock/internal/lua/release.lua",
		"impl/fencing/resource.go",
		"impl/lock/watchdog.go",
	} {
		want, err := os.ReadFile(strings.TrimPrefix(file, "impl/"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := impl.Source(file)
		if err != nil || got != string(want) {
			t.Errorf("Source(%q): %d bytes, error %v; the file has %d bytes", file, len(got), err, len(want))
		}
	}
}

func TestSourceKnowsNothingElse(t *testing.T) {
	for _, file := range []string{
		"",
		"impl/",
		"impl/redislock",
		"redislock/mutex.go",
		"impl/redislock/mutex_test.go",
		"impl/../go.mod",
		"impl/redislock/no-such.go",
		"sim/kernel/kernel.go",
	} {
		if text, err := impl.Source(file); !errors.Is(err, fs.ErrNotExist) || text != "" {
			t.Errorf("Source(%q) = %d bytes, error %v; want fs.ErrNotExist", file, len(text), err)
		}
	}
}

func TestFilesAreShownOnes(t *testing.T) {
	files := impl.Files()
	if !slices.IsSorted(files) || !slices.Contains(files, "impl/redislock/mutex.go") {
		t.Errorf("files out of order or incomplete: %v", files)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			t.Errorf("%s is a test", f)
		}
		if _, err := impl.Source(f); err != nil {
			t.Error(err)
		}
	}
}
