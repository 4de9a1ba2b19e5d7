// Package realserver starts the real servers that tests run against beside the
// embedded ones: one process for a test, on a free loopback port, with its data
// in a temporary folder, killed and waited for when the test ends.
//
// What belongs here: one file for each server, and what they share. What does
// not: the tests, and clients.
//
// A test whose server is not installed is skipped, with a message that says what
// is missing. With LOCKSTEP_REAL=require in the environment it fails instead.
package realserver

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// variable turns skips into failures where it has the value required.
const (
	variable = "LOCKSTEP_REAL"
	required = "require"
)

// find returns the path of the first of the given programs that exists: a bare
// name is looked for on PATH, anything else is a path. Without one it skips the
// test or fails it.
func find(t testing.TB, server string, programs ...string) string {
	t.Helper()
	for _, p := range programs {
		if path, err := exec.LookPath(p); err == nil {
			return path
		}
	}
	missing(t, server, "none of "+strings.Join(programs, ", ")+" is installed")
	return ""
}

// missing ends a test that cannot have its server.
func missing(t testing.TB, server, why string) {
	t.Helper()
	if os.Getenv(variable) == required {
		t.Fatalf("a real %s is required by %s=%s, but %s", server, variable, required, why)
		return
	}
	t.Skipf("needs a real %s: %s (set %s=%s to make this a failure)", server, why, variable, required)
}
