package script

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseFile(t *testing.T) {
	path := scratch(t, base, 0o644)
	s, err := ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.File != path || s.ID != path {
		t.Errorf("file %q, ID %q", s.File, s.ID)
	}
}

func TestParseFileOfWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.scn")
	if _, err := ParseFile(missing); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), missing+": ") || strings.Count(err.Error(), missing) != 1 {
		t.Errorf("missing file: %v", err)
	}
	if _, err := ParseFile(dir); !errors.Is(err, ErrNotRegular) || err.Error() != dir+": not a regular file" {
		t.Errorf("folder: %v", err)
	}
	if _, err := ParseFile("a\x00b"); err == nil || !strings.HasPrefix(err.Error(), `"a\x00b": `) {
		t.Errorf("name with NUL: %v", err)
	}
}

func TestPrintable(t *testing.T) {
	for name, want := range map[string]string{
		"mine.scn": "mine.scn", `a "b"\c.scn`: `a "b"\c.scn`, "锁.scn": "锁.scn",
		"": `""`, "a\nb": `"a\nb"`, "\x1b[2J": `"\x1b[2J"`, "caf\xe9": `"caf\xe9"`, "a\u202eb": `"a\u202eb"`,
	} {
		if got := Printable(name); got != want {
			t.Errorf("Printable(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestMistakesInAFileWithAnUnprintableName(t *testing.T) {
	_, err := Parse("a\nb.scn", nil)
	if want := `"a\nb.scn":1:1: nothing in here: a scenario starts with its title`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A huge file passed by mistake costs no more than a scenario can.
func TestParseFileReadsNoMoreThanItMay(t *testing.T) {
	path := scratch(t, base, 0o644)
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	_, err := ParseFile(path)
	if want := path + ":1:1: larger than 1 MiB: not a scenario"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
