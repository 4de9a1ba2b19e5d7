package realserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"testing"
)

// redisReady is what redis-server prints when it listens.
const redisReady = "Ready to accept connections"

// portTries bounds how often a start is repeated on another port.
const portTries = 5

// RedisServer is a running redis-server, without persistence.
type RedisServer struct {
	program string
	dir     string
	port    int
	running *process
}

// Redis starts a redis-server for the length of a test.
func Redis(t testing.TB) *RedisServer {
	t.Helper()
	s := &RedisServer{program: find(t, "redis", "redis-server"), dir: t.TempDir()}
	t.Cleanup(s.Kill)
	if err := s.startOnFreePort(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Addr is the host and port of the server. It stays the same over a Restart.
func (s *RedisServer) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Kill ends the server without notice. Its data is gone.
func (s *RedisServer) Kill() {
	if s.running != nil {
		s.running.kill()
		s.running = nil
	}
}

// Restart kills the server, if it runs, and starts it empty on the same port.
func (s *RedisServer) Restart(t testing.TB) {
	t.Helper()
	s.Kill()
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *RedisServer) startOnFreePort(ctx context.Context) (err error) {
	for range portTries {
		if s.port, err = freePort(); err != nil {
			return fmt.Errorf("redis-server: find a free port: %w", err)
		}
		if err = s.start(ctx); !errors.Is(err, errExited) {
			return err
		}
	}
	return err
}

func (s *RedisServer) start(ctx context.Context) (err error) {
	cmd := exec.Command(s.program,
		"--bind", "127.0.0.1", "--port", strconv.Itoa(s.port),
		"--dir", s.dir, "--save", "", "--appendonly", "no")
	s.running, err = launch(ctx, cmd, redisReady)
	return err
}
