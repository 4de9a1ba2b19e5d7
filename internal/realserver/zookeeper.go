package realserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// zooKeeperReady is what ZooKeeper logs once it serves clients.
const zooKeeperReady = "Using checkIntervalMs"

// ZooKeeperTick is the server's unit of time here; its default is 2 s. A
// session expires up to one tick late.
const ZooKeeperTick = 200 * time.Millisecond

// debianJars is where Debian's package zookeeper and what it depends on put
// their code. The first names the others in its manifest; the second makes the
// log go to the standard error output.
var debianJars = []string{"/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-simple.jar"}

// ZooKeeperServer is a running standalone ZooKeeper. It accepts session timeouts
// from two ticks to a minute and does not force its log to disk.
type ZooKeeperServer struct {
	java    string
	dir     string
	port    int
	running *process
}

// ZooKeeper starts a ZooKeeper for the length of a test. Each prepare is called
// with the data folder before the start.
func ZooKeeper(t testing.TB, prepare ...func(dataDir string) error) *ZooKeeperServer {
	t.Helper()
	s := &ZooKeeperServer{java: find(t, "ZooKeeper", "java"), dir: t.TempDir()}
	for _, jar := range debianJars {
		if _, err := os.Stat(jar); err != nil {
			missing(t, "ZooKeeper", jar+" is not there")
		}
	}
	for _, p := range prepare {
		if err := p(s.dir); err != nil {
			t.Fatalf("prepare the data of ZooKeeper: %v", err)
		}
	}
	t.Cleanup(s.Kill)
	err := onFreePort(func(port int) error {
		s.port = port
		return s.start(t.Context())
	})
	if err != nil {
		t.Fatalf("ZooKeeper: %v", err)
	}
	return s
}

// Addr is the host and port of the server. It stays the same over a Restart.
func (s *ZooKeeperServer) Addr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
}

// Kill ends the server without notice. Its data stays for a Restart.
func (s *ZooKeeperServer) Kill() {
	if s.running != nil {
		s.running.kill()
		s.running = nil
	}
}

// Restart kills the server, if it runs, and starts it on the same port and data.
func (s *ZooKeeperServer) Restart(t testing.TB) {
	t.Helper()
	s.Kill()
	if err := s.start(t.Context()); err != nil {
		t.Fatalf("ZooKeeper: restart: %v", err)
	}
}

func (s *ZooKeeperServer) start(ctx context.Context) error {
	config := filepath.Join(s.dir, "zoo.cfg")
	if err := os.WriteFile(config, []byte(s.config()), 0o600); err != nil {
		return err
	}
	// The options of the virtual machine save start-up time and memory.
	cmd := exec.Command(s.java, "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dzookeeper.forceSync=no", "-Dzookeeper.jmx.log4j.disable=true",
		"-cp", strings.Join(debianJars, ":"),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", config)
	var err error
	s.running, err = launch(ctx, cmd, zooKeeperReady)
	return err
}

func (s *ZooKeeperServer) config() string {
	return fmt.Sprintf(`tickTime=%d
maxSessionTimeout=60000
dataDir=%s
clientPort=%d
clientPortAddress=127.0.0.1
maxClientCnxns=0
admin.enableServer=false
`, ZooKeeperTick.Milliseconds(), s.dir, s.port)
}
