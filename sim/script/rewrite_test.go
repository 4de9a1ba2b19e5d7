package script

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// scratch makes a file with a mode in a folder of its own.
func scratch(t *testing.T, content string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.scn")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// onlyFile checks that nothing but the file is left in its folder.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestRewriteReplacesTheFile(t *testing.T) {
	path := scratch(t, "old", 0o640)
	before, _ := os.Stat(path)
	if err := Rewrite(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "new" {
		t.Errorf("content %q", got)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if after.Mode() != before.Mode() {
		t.Errorf("mode %v has become %v", before.Mode(), after.Mode())
	}
	if os.SameFile(before, after) {
		t.Error("the file was written in place: a reader could have seen a part")
	}
	onlyFile(t, path)
}

func TestRewriteLeavesEqualContentAlone(t *testing.T) {
	path := scratch(t, "same", 0o644)
	before, _ := os.Stat(path)
	if err := Rewrite(path, []byte("same")); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("the file was replaced")
	}
}

// The mode of the file decides, for root too.
func TestRewriteRefusesReadOnlyFiles(t *testing.T) {
	path := scratch(t, "old", 0o444)
	err := Rewrite(path, []byte("new"))
	if !errors.Is(err, ErrReadOnly) {
		t.Errorf("error %v", err)
	}
	if want := "rewrite " + path + ": the file is read-only"; err == nil || err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
	if got := content(t, path); got != "old" {
		t.Errorf("content %q", got)
	}
	onlyFile(t, path)
}

func TestRewriteKeepsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	target := scratch(t, "old", 0o644)
	link := filepath.Join(t.TempDir(), "link.scn")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := Rewrite(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link has become a file")
	}
	if got := content(t, target); got != "new" {
		t.Errorf("content behind the link: %q", got)
	}
}

func TestRewriteOfWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.scn")
	if err := Rewrite(missing, []byte("new")); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "rewrite "+missing+": ") {
		t.Errorf("missing file: %v", err)
	}
	if err := Rewrite(dir, []byte("new")); err == nil || !strings.HasSuffix(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the missing file was made")
	}
}
