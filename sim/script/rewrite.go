package script

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrReadOnly is why [Rewrite] refuses a file without write permission.
var ErrReadOnly = errors.New("the file is read-only")

// Rewrite replaces the content of an existing file. Whoever reads the file, at
// whatever time, finds the old content or the new one and never a part: the new
// content goes to a temporary file beside it, which then takes its place. The
// permissions stay, a symbolic link stays one, and a file that has the content
// already is not touched.
//
// A file without write permission is refused with [ErrReadOnly], even where the
// user could get around it by replacing the file.
func Rewrite(path string, content []byte) error {
	if err := rewrite(path, content); err != nil {
		return fmt.Errorf("rewrite %s: %w", Printable(path), err)
	}
	return nil
}

func rewrite(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return cause(err)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return cause(err)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case info.Mode().Perm()&0o200 == 0:
		return ErrReadOnly
	}
	if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return replace(target, content, info.Mode().Perm())
}

func replace(target string, content []byte, perm fs.FileMode) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(target), ".lockstep-*")
	if err != nil {
		return fmt.Errorf("write to folder %s: %w", Printable(filepath.Dir(target)), cause(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(cause(err), os.Remove(tmp.Name()))
		}
	}()
	if err = fill(tmp, content, perm); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), target)
}

// fill writes, syncs and closes the file: a rename of what is not on the disk
// yet could survive a power cut that the content does not.
func fill(f *os.File, content []byte, perm fs.FileMode) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
