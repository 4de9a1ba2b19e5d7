package realserver

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// spy stands for a test that ends itself.
type spy struct {
	testing.TB
	skipped, failed string
}

func (s *spy) Helper() {}

func (s *spy) Skipf(format string, args ...any) { s.skipped = format }

func (s *spy) Fatalf(format string, args ...any) { s.failed = format }

func TestAMissingServerSkipsUnlessItIsRequired(t *testing.T) {
	t.Setenv(variable, "")
	s := &spy{TB: t}
	if path := find(s, "redis", "no-such-program"); path != "" || s.skipped == "" || s.failed != "" {
		t.Errorf("find = %q, skipped %q, failed %q; want a skip", path, s.skipped, s.failed)
	}
	t.Setenv(variable, required)
	s = &spy{TB: t}
	if path := find(s, "redis", "no-such-program"); path != "" || s.failed == "" || s.skipped != "" {
		t.Errorf("find = %q, skipped %q, failed %q; want a failure", path, s.skipped, s.failed)
	}
}

func TestFindTakesTheFirstThatExists(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got := find(t, "anything", "no-such-program", self); got != self {
		t.Errorf("find = %q, want %q", got, self)
	}
}

// This test binary stands for a server that prints something and exits.
func TestLaunchShowsTheLastWordsOfAServerThatExits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = launch(t.Context(), exec.Command(self, "-test.list=TestFindTakes"), "never said")
	if !errors.Is(err, errExited) || !strings.Contains(err.Error(), "TestFindTakesTheFirstThatExists") {
		t.Errorf("launch = %v, want errExited with the output of the program", err)
	}
}
