package scenarios_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/script"
)

func TestResolve(t *testing.T) {
	tests := []struct{ name, want, problem string }{
		{name: "redis/02-del-mis-delete", want: "redis/02-del-mis-delete"},
		{name: "redis/02", want: "redis/02-del-mis-delete"},
		{name: "why/01-loc", want: "why/01-local-mutex"},
		{name: "redis/0", problem: `"redis/0" can mean any of redis/01-setnx-expire-crash, redis/02-del-mis-delete,`},
		{name: "redis/2", want: "redis/20-wake-up"},
		{name: "redis/2-del-mis-delete", problem: `no scenario "redis/2-del-mis-delete": did you mean "redis/02-del-mis-delete"?`},
		{name: "mis-delete", problem: `did you mean "redis/02-del-mis-delete"?`},
		{name: "redis/02-del-misdelete", problem: `did you mean "redis/02-del-mis-delete"?`},
		{name: "mysql", problem: `no scenario "mysql": "lockstep lessons" lists them`},
		{name: "", problem: `no scenario ""`},
	}
	for _, tt := range tests {
		got, err := scenarios.Resolve(tt.name)
		switch {
		case tt.problem == "" && (err != nil || got != tt.want):
			t.Errorf("Resolve(%q) = %q, %v; want %q", tt.name, got, err, tt.want)
		case tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)):
			t.Errorf("Resolve(%q) gives the error %v; want %s", tt.name, err, tt.problem)
		}
	}
}

func TestLoadKnowsTheIDAndTheFile(t *testing.T) {
	sc, err := scenarios.Load("redis/02")
	if err != nil {
		t.Fatal(err)
	}
	if sc.ID != "redis/02-del-mis-delete" || sc.File != "scenarios/redis/02-del-mis-delete.scn" {
		t.Errorf("ID %q, file %q", sc.ID, sc.File)
	}
}

const valid = `title A lock taken once
store redis
lock k
variant only expect no-violation
client A: acquire; release
expect A.release = ok
`

// write makes a file with its folders and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOpenTellsFilesFromIDs(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "mine.scn", valid)
	write(t, ".", "redis/other.scn", valid)
	write(t, ".", "redis/02-del-mis-delete", "not a scenario")
	tests := []struct{ name, id, problem string }{
		{name: "mine.scn", id: "mine.scn"},
		{name: "redis/other.scn", id: "redis/other.scn"},
		{name: "redis/02-del-mis-delete", id: "redis/02-del-mis-delete"},
		{name: "redis/02", id: "redis/02-del-mis-delete"},
		{name: "redis", problem: "redis is a folder: name one .scn file in it"},
		{name: "yours.scn", problem: "yours.scn: no such file or directory"},
		{name: "./yours", problem: "./yours: no such file or directory"},
	}
	for _, tt := range tests {
		sc, err := scenarios.Open(tt.name)
		switch {
		case tt.problem != "":
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("Open(%q) gives the error %v; want %s", tt.name, err, tt.problem)
			}
		case err != nil:
			t.Errorf("Open(%q): %v", tt.name, err)
		case sc.ID != tt.id:
			t.Errorf("Open(%q) has the ID %q, want %q", tt.name, sc.ID, tt.id)
		}
	}
}

func TestLoadFileRefusesWhatIsNoScenario(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"binary.scn": "title x\x00y\n",
		"large.scn":  strings.Repeat("# more and more\n", 2<<20/16),
		"empty.scn":  "",
	} {
		_, err := scenarios.LoadFile(write(t, dir, name, content))
		if errs, ok := errors.AsType[script.Errors](err); !ok || len(errs) == 0 {
			t.Errorf("%s gives the error %v; want script.Errors", name, err)
		}
	}
	if _, err := scenarios.LoadFile(filepath.Join(dir, "missing.scn")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives the error %v", err)
	}
}

func TestFilesAreFoundBelowAFolder(t *testing.T) {
	dir := t.TempDir()
	b := write(t, dir, "b.scn", valid)
	a := write(t, dir, "a/deep/er.scn", valid)
	write(t, dir, "notes.txt", "not looked at")
	if err := os.Mkdir(filepath.Join(dir, "folder.scn"), 0o755); err != nil {
		t.Fatal(err)
	}

	got, problems := scenarios.Files(dir)
	if want := []string{a, b}; len(problems) > 0 || !slices.Equal(got, want) {
		t.Errorf("Files = %q, %v; want %q", got, problems, want)
	}
	if got, problems := scenarios.Files(b); len(problems) > 0 || !slices.Equal(got, []string{b}) {
		t.Errorf("Files of a file = %q, %v", got, problems)
	}
	empty := filepath.Join(dir, "folder.scn")
	got, problems = scenarios.Files(empty)
	if len(got) > 0 || len(problems) != 1 || problems[0].Error() != empty+": no .scn file in this folder or below" {
		t.Errorf("Files of an empty folder = %q, %v", got, problems)
	}
	nowhere := filepath.Join(dir, "nowhere")
	got, problems = scenarios.Files(nowhere)
	if len(got) > 0 || len(problems) != 1 || !errors.Is(problems[0], fs.ErrNotExist) || !strings.HasPrefix(problems[0].Error(), nowhere+": ") {
		t.Errorf("Files of nothing = %q, %v", got, problems)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// replay replays a file; it must be possible.
func replay(t *testing.T, file string) *scenarios.Report {
	t.Helper()
	sc, err := scenarios.LoadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report, err := scenarios.Replay(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestReplayNamesAFailedExpectation(t *testing.T) {
	file := write(t, t.TempDir(), "wrong.scn", strings.Replace(valid, "release = ok", "release = lost", 1))
	report := replay(t, file)
	if report.OK() || report.Expected() || len(report.Failures) != 1 {
		t.Fatalf("failures: %v", report.Failures)
	}
	want := "only, line 6: expected A.release = lost, got ok"
	if got := report.Failures[0].String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	before := contents(t, file)
	if _, err := report.Update(file); !errors.Is(err, scenarios.ErrFailing) {
		t.Errorf("Update gives the error %v", err)
	}
	if contents(t, file) != before {
		t.Error("a refused update has changed the file")
	}
}

func TestUpdateRecordsTracesThatTheNextReplayFinds(t *testing.T) {
	file := write(t, t.TempDir(), "mine.scn", valid)
	if changed, err := replay(t, file).Update(file); err != nil || !changed {
		t.Fatalf("changed: %v, error %v", changed, err)
	}
	recorded := contents(t, file)
	if !strings.HasPrefix(recorded, valid) || !strings.Contains(recorded, "\ntrace only\n----\n") {
		t.Errorf("recorded:\n%s", recorded)
	}
	if report := replay(t, file); !report.OK() {
		t.Errorf("the recorded trace differs: %v", report.Failures)
	} else if changed, err := report.Update(file); changed || err != nil {
		t.Errorf("the second update: changed %v, error %v", changed, err)
	}
}

func TestReplayNamesTheFirstChangedLineOfATrace(t *testing.T) {
	file := write(t, t.TempDir(), "mine.scn", valid)
	if _, err := replay(t, file).Update(file); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(contents(t, file), "\n")
	changed := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "1ms ") })
	original := lines[changed]

	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"changed", slices.Concat(lines[:changed], []string{"2ms"}, lines[changed+1:]), `"2ms"`},
		{"cut short", append(slices.Clone(lines[:changed]), "----"), "the end of the trace"},
	} {
		write(t, filepath.Dir(file), "mine.scn", strings.Join(tt.lines, "\n"))
		report := replay(t, file)
		if len(report.Failures) != 1 || !report.Expected() {
			t.Fatalf("%s: failures %v", tt.name, report.Failures)
		}
		f := report.Failures[0]
		if f.Line != changed+1 || f.Text != tt.want || !strings.Contains(f.Got, original) {
			t.Errorf("%s: %v; want line %d: %s, got %q", tt.name, f, changed+1, tt.want, original)
		}
	}
}

// TestUpdateRefusesATraceThatIsTooLong shows that no update makes a file that
// cannot be read any more: a watchdog renews a hundred times here, in 60 variants.
func TestUpdateRefusesATraceThatIsTooLong(t *testing.T) {
	var variants strings.Builder
	for i := range 60 {
		fmt.Fprintf(&variants, "variant v%d expect no-violation\n", i)
	}
	long := strings.NewReplacer("acquire; release", "acquire ttl=1s; work 40s; release",
		"variant only expect no-violation\n", variants.String()).Replace(valid)
	file := write(t, t.TempDir(), "long.scn", long)
	_, err := replay(t, file).Update(file)
	want := file + ": not updated: with its traces the file would be refused: more than 5,000 lines: not a scenario"
	if !errors.Is(err, scenarios.ErrUnreadable) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if contents(t, file) != long {
		t.Error("a refused update has changed the file")
	}
}

func TestUpdateRefusesAReadOnlyFile(t *testing.T) {
	file := write(t, t.TempDir(), "mine.scn", valid)
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := replay(t, file).Update(file); !errors.Is(err, script.ErrReadOnly) {
		t.Errorf("Update gives the error %v", err)
	}
}
