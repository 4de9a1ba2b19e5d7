package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"
)

// ErrNotRegular is why a folder, a pipe, a socket or a device is no scenario.
var ErrNotRegular = errors.New("not a regular file")

// ParseFile reads and parses a file of the user's own. It reads no more than a
// scenario can have, however large the file is. The error is an [Errors] if the
// file could be read, or else begins with its name.
func ParseFile(path string) (*Scenario, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, FileError(path, err)
	}
	return Parse(path, src)
}

// readFile reads a regular file. The name is looked at before it is opened:
// opening a pipe waits for a writer, and opening a device can do anything. What
// takes its place between the two is opened without waiting, and looked at too.
func readFile(path string) ([]byte, error) {
	if err := regular(os.Stat(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := regular(f.Stat()); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// regular is an error unless a file is a regular one.
func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return err
}

// FileError is an error of the file system with the path before it, once and as
// [Printable] shows it, and without the name of the system call.
func FileError(path string, err error) error {
	return fmt.Errorf("%s: %w", Printable(path), cause(err))
}

// cause drops the paths from an error that is going to be reported with one.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// Printable is a name as a message shows it: as it is, or quoted as in Go if it
// has anything that could break the line, or do something to the terminal.
func Printable(name string) string {
	plain := utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) })
	if plain && name != "" {
		return name
	}
	return strconv.Quote(name)
}
