package realserver

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// stopLimit is how long a database may take to shut down at the end of a test.
const stopLimit = 20 * time.Second

// database is what the database servers have in common: data that outlives the
// process, for restarts within one test.
type database struct {
	dir     string // of its own, removed with the test
	port    int
	running *process
	command func() *exec.Cmd
	ready   string         // what it prints when it listens
	quit    syscall.Signal // what makes it shut down at once and tidily
}

// Addr is the host and port of the server. It stays the same over a Restart.
func (d *database) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(d.port)) }

// Kill ends the server without notice. What it had committed is still there
// after a Restart.
func (d *database) Kill() {
	if d.running != nil {
		d.running.kill()
		d.running = nil
	}
}

// Restart kills the server, if it runs, and starts it on the same data.
func (d *database) Restart(t testing.TB) {
	t.Helper()
	d.Kill()
	if err := d.launch(t); err != nil {
		t.Fatal(err)
	}
}

func (d *database) launch(t testing.TB) (err error) {
	d.running, err = launch(t.Context(), d.command(), d.ready)
	return err
}

// stop lets the server tidy up what is not in its folder, such as shared
// memory.
func (d *database) stop() {
	if d.running == nil {
		return
	}
	_ = d.running.cmd.Process.Signal(d.quit) // Kill follows in any case
	select {
	case <-d.running.exited:
	case <-time.After(stopLimit):
	}
	d.Kill()
}

// folder makes a temporary folder with a short name, since the path of a socket
// must not exceed about a hundred bytes. It is removed when the test ends.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lockstep-db-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the data of the server: %v", err)
		}
	})
	return dir
}

// unprivileged returns the start of a command line that gives up root, which
// PostgreSQL insists on, and hands dir over to the user that is left. It is
// empty for anybody but root.
func unprivileged(dir string) ([]string, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid) // both are numbers wherever os.Getuid can be 0
		gid, _ := strconv.Atoi(u.Gid)
		return []string{"setpriv", "--reuid=" + u.Uid, "--regid=" + u.Gid, "--clear-groups"}, os.Chown(dir, uid, gid)
	}
	return nil, fmt.Errorf("there is no user postgres or nobody to run as")
}

// commandLine makes a command of a prefix, a program and its arguments.
func commandLine(prefix []string, program string, args ...string) *exec.Cmd {
	line := append(append([]string{}, prefix...), program)
	line = append(line, args...)
	return exec.Command(line[0], line[1:]...)
}
