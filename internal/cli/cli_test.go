package cli

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite testdata")

// childEnv makes the test binary behave as the program itself, for tests that
// need a process of their own.
const childEnv = "LOCKSTEP_CLI_CHILD"

func TestMain(m *testing.M) {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		os.Unsetenv(name)
	}
	if os.Getenv(childEnv) != "" {
		os.Exit(Execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// output is what a command line gives.
type output struct {
	stdout, stderr string
	status         int
}

func lockstep(args ...string) output {
	var stdout, stderr bytes.Buffer
	status := Execute(args, strings.NewReader(""), &stdout, &stderr)
	return output{stdout.String(), stderr.String(), status}
}

// compare compares with a file in testdata, or rewrites it.
func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the text differs from %s:\n%s", file, got)
	}
}

// write makes a file in the current folder.
func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "lessons", "glossary", "guide", "play", "run", "verify", "demo", "completion", "version"} {
		t.Run("lockstep "+command, func(t *testing.T) {
			args := append(strings.Fields(command), "--help")
			got := lockstep(args...)
			if got.status != statusOK || got.stderr != "" {
				t.Errorf("status %d, stderr %q", got.status, got.stderr)
			}
			name := "help.txt"
			if command != "" {
				name = "help-" + command + ".txt"
			}
			compare(t, name, got.stdout)
			if other := lockstep(append([]string{"help"}, strings.Fields(command)...)...); other != got {
				t.Errorf("lockstep help %s differs from --help:\n%s", command, other.stdout)
			}
		})
	}
}

// TestWrongUsage shows that a mistake gets one line that says what to do.
func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ args, want string }{
		{"lesons", `unknown command "lesons": did you mean "lessons"?`},
		{"frobnicate", `unknown command "frobnicate": there are completion, demo, glossary, guide, lessons, play, run, verify, version`},
		{"redis/02", `unknown command "redis/02": did you mean lockstep play redis/02?`},
		{"help lesons", `unknown command "lesons": did you mean "lessons"?`},
		{"--plian", "unknown flag --plian: did you mean --plain?"},
		{"run redis/02 --fromat json", "unknown flag --fromat: did you mean --format?"},
		{"run redis/02 --zzz", "unknown flag --zzz: see lockstep run --help"},
		{"run -x", "unknown flag -x: see lockstep run --help"},
		{"run redis/02 --format", "--format needs a value"},
		{"run redis/02 --format jsno", `--format: unknown format "jsno": did you mean "json"?`},
		{"lessons --format yaml", `--format: unknown format "yaml": there are text, json`},
		{"lessons --lang fr", `--lang: unknown language "fr": there are en, zh`},
		{"lessons redis", `lessons takes no argument: "redis"`},
		{"version now", `version takes no argument: "now"`},
		{"run", "run needs the ID of a scenario, such as redis/02, or a file"},
		{"play", "play needs the ID of a scenario, such as redis/02, or a file"},
		{"run redis/02 redis/03", `run takes one scenario: "redis/03" is too much`},
		{"--plain redis/02 redis/03", `lockstep takes one scenario: "redis/03" is too much`},
		{"--plain redis/22", `no scenario "redis/22": did you mean "redis/02-del-mis-delete"?`},
		{"play redis/02-del-misdelete", `no scenario "redis/02-del-misdelete": did you mean "redis/02-del-mis-delete"?`},
		{"run nothing", `no scenario "nothing": "lockstep lessons" lists them`},
		{"run .", ". is a folder: name one .scn file in it"},
		{"run mine.scn", "mine.scn: no such file or directory"},
		{"verify mine.scn", "mine.scn: no such file or directory"},
		{"verify .", ".: no .scn file in this folder or below"},
		{"verify redis/22", `no scenario "redis/22": did you mean "redis/02-del-mis-delete"?`},
		{"verify --update", "--update needs files or folders: the embedded scenarios cannot be rewritten"},
		{"verify --update redis/02", "--update needs files or folders: redis/02-del-mis-delete is embedded and cannot be rewritten"},
		{"run redis/02 --seed -1", `--seed: "-1" is not a whole number from 0 to 2^64-1`},
		{"run redis/02 --seed 99999999999999999999", `--seed: "99999999999999999999" is not a whole number from 0 to 2^64-1`},
		{"run redis/02 --set ttl", `--set: "ttl" is not of the form name=value`},
		{"run redis/02 --set ttl=1s --set ttl=2s", "--set: ttl is set twice"},
		{"run redis/02 --set tll=1s", `--set tll=1s: unknown parameter "tll": did you mean "ttl"?`},
		{"run redis/02 --set poll=1s", `--set poll=1s: parameter "poll" is not declared by this scenario, which declares: latency, ttl, renew, work`},
		{"run redis/02 --set ttl=soon", `--set ttl=soon: ttl: bad duration "soon": write it like 400ms, 1.5s or 2m`},
		{"run redis/02 --set ttl=0", `--set ttl=0: ttl: duration "0" is too short: at least 10ms`},
		{"run redis/02 --plain", "unknown flag --plain: lockstep run writes plain text anyway; lockstep play --plain tells a whole lesson"},
		{"verify --plain=true", "unknown flag --plain: lockstep verify writes plain text anyway; lockstep play --plain tells a whole lesson"},
		{"play redis/02 --set ttl=1s", "unknown flag --set: it belongs to lockstep run"},
		{"lessons --variant del", "unknown flag --variant: it belongs to lockstep play, lockstep run"},
		{"--plain=maybe redis/02", `--plain: "maybe" is neither true nor false`},
		{"play redis/02 --ascii=2", `--ascii: "2" is neither true nor false`},
		{"verify --update=", `--update: "" is neither true nor false`},
		{"help run play", `help takes one command: "play" is too much`},
		{"help completion bash", `help takes one command: "bash" is too much`},
		{"completion", "completion needs the name of one shell: bash, zsh, fish, powershell"},
		{"completion bsh", `unknown shell "bsh": there are bash, zsh, fish, powershell`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			want := output{stderr: "lockstep: " + tt.want + "\n", status: statusUsage}
			if got := lockstep(strings.Fields(tt.args)...); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestUnknownVariantIsNamed(t *testing.T) {
	for _, command := range []string{"run", "play"} {
		got := lockstep(command, "redis/02", "--variant", "dell")
		if got.status != statusUsage || got.stdout != "" || !strings.Contains(got.stderr, `no variant "dell", it has: del, compare-and-delete: did you mean "del"?`) {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

func TestWithoutATerminalItSaysHowToGoOn(t *testing.T) {
	got := lockstep()
	compare(t, "no-terminal.txt", got.stdout)
	if got.status != statusOK || got.stderr != "" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	got = lockstep("--lang", "zh")
	compare(t, "no-terminal-zh.txt", got.stdout)

	got = lockstep("play", "redis/02")
	want := output{stderr: "lockstep: the player needs a terminal: lockstep play redis/02 --plain tells the same as text\n", status: statusUsage}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestVersion(t *testing.T) {
	got := lockstep("version")
	if got.status != statusOK || !strings.HasPrefix(got.stdout, "lockstep ") || strings.Count(got.stdout, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	if flag := lockstep("--version"); flag != got {
		t.Errorf("--version gives %+v, version %+v", flag, got)
	}
}

// failing is an output that fails with err from its second write on.
type failing struct {
	bytes.Buffer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.Len() > 0 {
		return 0, f.err
	}
	return f.Buffer.Write(p)
}

func TestClosedPipeIsNoError(t *testing.T) {
	for _, args := range []string{"verify", "run redis/02", "--plain redis/02"} {
		var stderr bytes.Buffer
		stdout := &failing{err: &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}}
		if status := Execute(strings.Fields(args), strings.NewReader(""), stdout, &stderr); status != statusOK || stderr.Len() > 0 {
			t.Errorf("%s: status %d, stderr %q", args, status, &stderr)
		}
	}
}

func TestFullDiskIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	stdout := &failing{err: errors.New("no space left on device")}
	status := Execute([]string{"verify"}, strings.NewReader(""), stdout, &stderr)
	if status != statusUsage || stderr.String() != "lockstep: standard output: no space left on device\n" {
		t.Errorf("status %d, stderr %q", status, &stderr)
	}
}

func TestFullDiskIsAnErrorOfEveryText(t *testing.T) {
	for _, args := range []string{"", "--help", "run --help", "help", "help verify", "version", "--version", "lessons", "completion bash", "--plain", "run redis/02"} {
		stdout := &failing{err: &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}
		stdout.WriteString("full")
		var stderr bytes.Buffer
		status := Execute(strings.Fields(args), strings.NewReader(""), stdout, &stderr)
		if status != statusUsage || stderr.String() != "lockstep: standard output: no space left on device\n" {
			t.Errorf("lockstep %s: status %d, stderr %q", args, status, &stderr)
		}
	}
}
