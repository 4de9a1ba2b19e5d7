package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrReadOnly is why [Rewrite] refuses a file without write permission.
var ErrReadOnly = errors.New("the file is read-only")

// ParseFile reads and parses a file of the user's own. It reads no more than a
// scenario can have, however large the file is. The error is an [Errors] if the
// file could be read.
func ParseFile(path string) (*Scenario, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	src, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

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
		return fmt.Errorf("rewrite %s: %w", path, err)
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
		return errors.New("not a regular file")
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
		return fmt.Errorf("write to folder %s: %w", filepath.Dir(target), cause(err))
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

// cause drops the path from an error that is going to be reported with one.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
