//go:build unix

package script

import (
	"errors"
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// Nobody writes to the pipe: what opened it as a file would wait for ever.
func TestParseFileDoesNotWaitForAPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "f.scn")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, fifo)
	if err := Rewrite(fifo, []byte("new")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Rewrite of a pipe: %v", err)
	}
}

func TestParseFileRefusesSocketsAndDevices(t *testing.T) {
	t.Chdir(t.TempDir()) // the path of a socket has to be short
	l, err := net.Listen("unix", "s.scn")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	refused(t, "s.scn")
	refused(t, "/dev/null")
}

func refused(t *testing.T, path string) {
	t.Helper()
	if _, err := ParseFile(path); !errors.Is(err, ErrNotRegular) || err.Error() != path+": not a regular file" {
		t.Errorf("%s: %v", path, err)
	}
}
