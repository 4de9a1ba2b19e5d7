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

// TestPipesAreNoScenarios would hang if a pipe were opened: nobody writes to it.
func TestPipesAreNoScenarios(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.scn", mine)
	if err := syscall.Mkfifo("f.scn", 0o600); err != nil {
		t.Fatal(err)
	}
	refused := output{stderr: "lockstep: f.scn: not a regular file\n", status: statusUsage}
	for _, args := range []string{"run f.scn", "play f.scn", "--plain f.scn"} {
		if got := lockstep(strings.Fields(args)...); got != refused {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for _, args := range []string{"verify .", "verify --update a.scn f.scn"} {
		got := lockstep(strings.Fields(args)...)
		if got.status != refused.status || got.stderr != refused.stderr || !strings.HasSuffix(got.stdout, "a.scn\nINVALID  f.scn\n2 scenarios, 2 variants: 1 invalid\n") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

func TestVerifyReadsTheOtherFoldersIfOneIsClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("no folder is closed to root")
	}
	t.Chdir(t.TempDir())
	write(t, "open/a.scn", mine)
	write(t, "closed/b.scn", mine)
	if err := os.Chmod("closed", 0); err != nil {
		t.Fatal(err)
	}
	got := lockstep("verify", ".")
	want := output{
		stdout: "ok       open/a.scn\n1 scenario, 2 variants: 1 unreadable\n",
		stderr: "lockstep: closed: permission denied\n",
		status: statusUsage,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
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
