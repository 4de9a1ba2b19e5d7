package realserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// startLimit is how long a server may take until it says that it is ready.
	startLimit = 60 * time.Second
	// keptLines of a server's output are shown when it fails to start.
	keptLines = 20
)

// errExited: the server ended before it was ready.
var errExited = errors.New("exited before it was ready")

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended and been waited for

	mu    sync.Mutex
	lines []string
}

// launch starts cmd and returns once a line of its output contains ready.
func launch(ctx context.Context, cmd *exec.Cmd, ready string) (*process, error) {
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	isReady := make(chan struct{})
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		p.follow(r, ready, isReady)
	}()
	go func() {
		_ = cmd.Wait() // it was killed, or its output says why it ended
		w.Close()
		<-followed
		close(p.exited)
	}()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	select {
	case <-isReady:
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("%s %w:\n%s", cmd.Path, errExited, p.output())
	case <-ctx.Done():
		p.kill()
		return nil, fmt.Errorf("%s did not become ready: %w:\n%s", cmd.Path, ctx.Err(), p.output())
	}
}

// follow reads the output to its end, so that the server never blocks on it.
func (p *process) follow(r io.Reader, ready string, isReady chan<- struct{}) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		if len(p.lines) > keptLines {
			p.lines = p.lines[1:]
		}
		p.mu.Unlock()
		if isReady != nil && strings.Contains(lines.Text(), ready) {
			close(isReady)
			isReady = nil
		}
	}
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// kill ends the process without notice and waits for it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // an error means that it has ended
	<-p.exited
}

// freePort finds an unused loopback port. Another process may take it before the
// server does; the server then exits, and the start is worth another try.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
