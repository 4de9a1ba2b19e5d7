package scenarios

import (
	"io/fs"
	"slices"
	"syscall"
	"testing"
	"testing/fstest"
)

// The user that runs the tests may be allowed to read everything, so the walk is
// told of a folder that is not readable.
func TestAFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	tree := fstest.MapFS{"a.scn": {}, "closed": {Mode: fs.ModeDir}, "folder.scn/notes.txt": {}, "pipe.scn": {Mode: fs.ModeNamedPipe}}
	var f finder
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if path == "closed" {
			path, err = "closed\n", &fs.PathError{Op: "open", Path: "closed\n", Err: syscall.EACCES}
		}
		return f.visit(path, d, err)
	})
	if err != nil {
		t.Errorf("the walk ended: %v", err)
	}
	if want := []string{"a.scn", "pipe.scn"}; !slices.Equal(f.files, want) {
		t.Errorf("files %q, want %q", f.files, want)
	}
	if len(f.problems) != 1 || f.problems[0].Error() != `"closed\n": permission denied` {
		t.Errorf("problems %v", f.problems)
	}
}
