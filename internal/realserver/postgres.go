package realserver

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// PostgresServer is a running PostgreSQL with an empty database. It does not
// wait for the disk, so a commit outlives the process but not the machine.
type PostgresServer struct{ database }

// Postgres starts a PostgreSQL for the length of a test. As root it runs it as
// another user, through setpriv.
func Postgres(t testing.TB) *PostgresServer {
	t.Helper()
	program := findPostgres(t)
	s := &PostgresServer{database{dir: folder(t), ready: "ready to accept connections", quit: syscall.SIGQUIT}}
	prefix, err := unprivileged(s.dir)
	if err != nil {
		missing(t, "postgresql", err.Error())
		return nil
	}
	data := filepath.Join(s.dir, "data")
	initdb := commandLine(prefix, filepath.Join(filepath.Dir(program), "initdb"),
		"-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Dir = s.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	t.Cleanup(s.stop)
	err = onFreePort(func(port int) error {
		s.port = port
		s.command = func() *exec.Cmd {
			cmd := commandLine(prefix, program, "-D", data, "-p", strconv.Itoa(port),
				"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
				"-c", "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=16MB")
			cmd.Dir = s.dir
			return cmd
		}
		return s.launch(t)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// DSN is the data source name for pgx.
func (s *PostgresServer) DSN() string {
	return "postgres://postgres@" + s.Addr() + "/postgres?sslmode=disable"
}

// findPostgres finds the server on PATH or where Debian keeps it, the newest
// version first.
func findPostgres(t testing.TB) string {
	t.Helper()
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is a good one
	slices.Reverse(debian)
	return find(t, "postgresql", append([]string{"postgres"}, debian...)...)
}
