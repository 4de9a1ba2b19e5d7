package realserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// MariaDBServer is a running MariaDB with an empty database named lockstep. It
// does not wait for the disk, so a commit outlives the process but not the
// machine.
type MariaDBServer struct{ database }

// mariadbInit is carried out by the server at every start.
const mariadbInit = `CREATE DATABASE IF NOT EXISTS lockstep;
CREATE OR REPLACE USER 'lockstep'@'127.0.0.1' IDENTIFIED BY 'lockstep';
GRANT ALL ON *.* TO 'lockstep'@'127.0.0.1';
`

// MariaDB starts a MariaDB for the length of a test.
func MariaDB(t testing.TB) *MariaDBServer {
	t.Helper()
	program := find(t, "mariadb", "mariadbd", "/usr/sbin/mariadbd")
	install := find(t, "mariadb", "mariadb-install-db")
	s := &MariaDBServer{database{dir: folder(t), ready: "ready for connections", quit: syscall.SIGTERM}}
	data := filepath.Join(s.dir, "data")
	if out, err := exec.Command(install, "--no-defaults", "--datadir="+data, "--skip-test-db",
		"--auth-root-authentication-method=normal", "--innodb-log-file-size=8M").CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	initFile := filepath.Join(s.dir, "init.sql")
	if err := os.WriteFile(initFile, []byte(mariadbInit), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	err := onFreePort(func(port int) error {
		s.port = port
		s.command = func() *exec.Cmd {
			cmd := exec.Command(program, "--no-defaults", "--datadir="+data, "--init-file="+initFile,
				"--bind-address=127.0.0.1", "--port="+strconv.Itoa(port), "--socket="+filepath.Join(s.dir, "s"),
				"--pid-file="+filepath.Join(s.dir, "pid"), "--skip-name-resolve",
				"--innodb-flush-log-at-trx-commit=2", "--innodb-log-file-size=8M", "--innodb-buffer-pool-size=32M")
			if os.Getuid() == 0 {
				cmd.Args = append(cmd.Args, "--user=root")
			}
			return cmd
		}
		return s.launch(t)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// DSN is the data source name for go-sql-driver/mysql, with which a statement
// with parameters is one request.
func (s *MariaDBServer) DSN() string {
	return "lockstep:lockstep@tcp(" + s.Addr() + ")/lockstep?interpolateParams=true"
}
