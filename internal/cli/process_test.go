//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// child is the program in a process of its own.
func child(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	return cmd
}

func TestSignalsEndItCleanly(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "a.scn", mine)
	for i := range 60 { // far more work than anybody waits for
		write(t, fmt.Sprintf("b%02d.scn", i), forever)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := child(t, "verify", ".")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || first != "ok       a.scn\n" {
			t.Errorf("first line %q, %v", first, err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the status says it
		if got := cmd.ProcessState.ExitCode(); got != statusInterrupted {
			t.Errorf("%v: status %d", sig, got)
		}
		if want := fmt.Sprintf("lockstep: %v signal received\n", sig); !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("%v: stderr %q", sig, stderr.String())
		}
	}
}

// BenchmarkLessons is "lockstep lessons" as a whole process, from its start to
// its end.
func BenchmarkLessons(b *testing.B) {
	for b.Loop() {
		if err := child(b, "lessons").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestASignalEndsADemoWithTheVerdictSoFar(t *testing.T) {
	cmd := child(t, "demo", "redis", "--duration", "1h")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range 2 { // the headline, and that there are grants
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), "ended early") || !strings.Contains(string(rest), "no update was lost.") {
		t.Errorf("%v, and the verdict is\n%s", err, rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v", err)
	}
}
