package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
)

func TestVerifyReplaysTheEmbeddedScenarios(t *testing.T) {
	got := lockstep("verify")
	if got.status != statusOK || got.stderr != "" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	ids := scenarios.List()
	if len(lines) != len(ids)+1 {
		t.Fatalf("%d lines for %d scenarios", len(lines), len(ids))
	}
	for i, id := range ids {
		if want := "ok       " + id; lines[i] != want {
			t.Errorf("line %q, want %q", lines[i], want)
		}
	}
	if last := lines[len(ids)]; !strings.HasPrefix(last, fmt.Sprintf("%d scenarios, ", len(ids))) || !strings.HasSuffix(last, " variants: ok") {
		t.Errorf("last line %q", last)
	}
}

func TestVerifyTakesIDsFilesAndFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", mine)
	write(t, "more/a.scn", mine)
	write(t, "more/deep/b.scn", mine)
	got := lockstep("verify", "redis/02", "mine.scn", "more")
	want := "ok       redis/02-del-mis-delete\nok       mine.scn\nok       " + filepath.Join("more", "a.scn") +
		"\nok       " + filepath.Join("more", "deep", "b.scn") + "\n4 scenarios, 8 variants: ok\n"
	if got != (output{stdout: want}) {
		t.Errorf("%+v", got)
	}
}

func TestVerifyTellsWhatFailed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.scn", strings.Replace(mine, "= not-held", "= ok when variant=script", 1))
	write(t, "b.scn", mine)
	got := lockstep("verify", ".")
	want := output{
		stdout: "FAILED   a.scn\n         script, line 9: expected A.release = ok, got not-held\nok       b.scn\n" +
			"2 scenarios, 4 variants: 1 failed\n",
		stderr: "lockstep: not as expected: 1 scenario\n",
		status: statusDiffers,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestVerifyGoesOnAfterAnInvalidFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.scn", "titel x\n")
	write(t, "b.scn", strings.Replace(mine, "= not-held", "= ok", 1))
	write(t, "c.scn", mine)
	got := lockstep("verify", ".")
	if got.status != statusUsage || !strings.HasPrefix(got.stderr, "lockstep: a.scn: 6 mistakes\na.scn:1:1: unknown directive \"titel\": did you mean \"title\"?\n") {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	if !strings.HasPrefix(got.stdout, "INVALID  a.scn\nFAILED   b.scn\n") ||
		!strings.HasSuffix(got.stdout, "ok       c.scn\n3 scenarios, 4 variants: 1 failed, 1 invalid\n") {
		t.Errorf("stdout:\n%s", got.stdout)
	}
}

func TestVerifyGoesOnAfterAPathThatCannotBeRead(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "c.scn", mine)
	got := lockstep("verify", "nowhere.scn", "c.scn")
	want := output{
		stdout: "ok       c.scn\n1 scenario, 2 variants: 1 unreadable\n",
		stderr: "lockstep: nowhere.scn: no such file or directory\n",
		status: statusUsage,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestUpdateRecordsAndFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", strings.Replace(mine, "lock k", "lock   k", 1))
	want := output{stdout: "updated  mine.scn\n1 scenario, 2 variants: ok\n"}
	if got := lockstep("verify", "--update", "mine.scn"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	recorded := read(t, "mine.scn")
	if !strings.HasPrefix(recorded, mine) || strings.Count(recorded, "\ntrace ") != 2 {
		t.Errorf("recorded:\n%s", recorded)
	}
	want.stdout = "ok       mine.scn\n1 scenario, 2 variants: ok\n"
	for _, args := range [][]string{{"verify", "--update", "mine.scn"}, {"verify", "mine.scn"}} {
		if got := lockstep(args...); got != want || read(t, "mine.scn") != recorded {
			t.Errorf("%q after the update: %+v", args, got)
		}
	}
}

func TestChangedTraceFailsUntilItIsUpdated(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", mine)
	lockstep("verify", "--update", "mine.scn")
	write(t, "mine.scn", strings.Replace(read(t, "mine.scn"), "A#1", "A#9", 1))
	got := lockstep("verify", "mine.scn")
	if got.status != statusDiffers || !strings.Contains(got.stdout, "A#9") {
		t.Errorf("%+v", got)
	}
	if got := lockstep("verify", "--update", "."); got.stdout != "updated  mine.scn\n1 scenario, 2 variants: ok\n" {
		t.Errorf("%+v", got)
	}
}

func TestUpdateLeavesFilesAloneThatCannotBeRecorded(t *testing.T) {
	t.Chdir(t.TempDir())
	failing := strings.Replace(mine, "= not-held", "= ok", 1)
	write(t, "failing.scn", failing)
	write(t, "invalid.scn", "titel x\n")
	long := strings.NewReplacer("work 9000h", "work 150m", "until 9000h", "until 3h", "ttl=100s", "ttl=5s").Replace(forever)
	write(t, "long.scn", long)
	write(t, "readonly.scn", mine)
	if err := os.Chmod("readonly.scn", 0o444); err != nil {
		t.Fatal(err)
	}
	got := lockstep("verify", "--update", ".")
	if got.status != statusUsage || !strings.HasSuffix(got.stdout, "ok       long.scn\nINVALID  readonly.scn\n4 scenarios, 5 variants: 1 failed, 2 invalid\n") {
		t.Errorf("%+v", got)
	}
	if !strings.HasSuffix(got.stderr, "lockstep: rewrite readonly.scn: the file is read-only\n") {
		t.Errorf("stderr %q", got.stderr)
	}
	for name, want := range map[string]string{"failing.scn": failing, "invalid.scn": "titel x\n", "long.scn": long, "readonly.scn": mine} {
		if read(t, name) != want {
			t.Errorf("%s has changed", name)
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 4 {
		t.Errorf("something was left behind: %v, %v", entries, err)
	}
	if got := lockstep("verify", "--update", "failing.scn"); got.status != statusDiffers {
		t.Errorf("%+v", got)
	}
}
