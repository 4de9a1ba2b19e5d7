//go:build unix

package cli

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestErrorsStayOnOneLine shows that no argument and no name of a file can break
// the line, or do anything to the terminal.
func TestErrorsStayOnOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	const odd = "a\n\x1b[2Jb\xff\u202e"
	const quoted = `"a\n\x1b[2Jb\xff\u202e`
	write(t, odd+".scn", "titel x\n")
	write(t, "failing"+odd+".scn", strings.Replace(mine, "= not-held", "= ok when variant=del", 1))
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{odd}, "unknown command " + quoted + `": there are`},
		{[]string{"--" + odd}, `unknown flag "--` + quoted[1:] + `": see lockstep --help`},
		{[]string{"-z" + odd}, `unknown flag "-z` + quoted[1:] + `": see lockstep --help`},
		{[]string{"--=" + odd}, `bad flag syntax: --=a; \x1b[2Jb`},
		{[]string{"--lang", odd}, "--lang: unknown language " + quoted + `": there are en, zh`},
		{[]string{"help", odd}, "unknown command " + quoted + `": there are`},
		{[]string{"run", odd}, "no scenario " + quoted + `": "lockstep lessons" lists them`},
		{[]string{"run", "./" + odd}, `"./` + quoted[1:] + `": no such file or directory`},
		{[]string{"run", odd + ".scn"}, quoted + `.scn": 6 mistakes`},
		{[]string{odd + ".scn"}, "unknown command " + quoted + `.scn": did you mean lockstep play ` + quoted + `.scn"?`},
		{[]string{"run", "failing" + odd + ".scn"}, `not as expected: "failing` + quoted[1:] + `.scn":9 (del): A.release = ok, got not-held`},
		{[]string{"run", "failing" + odd + ".scn", "--variant", odd}, `"failing` + quoted[1:] + `.scn" has no variant ` + quoted + `", it has: del, script`},
		{[]string{"run", "redis/02", "--set", odd + "=1"}, `--set: ` + quoted + `=1" has a character that no parameter has`},
		{[]string{"run", "redis/02", "--set", odd}, `--set: ` + quoted + `" is not of the form name=value`},
		{[]string{"verify", odd + ".txt"}, `no scenario ` + quoted + `.txt"`},
	} {
		got := lockstep(tt.args...)
		first, rest, _ := strings.Cut(got.stderr, "\n")
		if got.status == statusOK || !strings.HasPrefix(first, "lockstep: "+tt.want) {
			t.Errorf("%q: status %d, got  %s\nwant %s", tt.args, got.status, got.stderr, tt.want)
		}
		if strings.Contains(first, "mistakes") == (rest == "") || strings.Contains(got.stdout+got.stderr, "\x1b") || !utf8.ValidString(got.stdout+got.stderr) {
			t.Errorf("%q: not one line, or not plain: %+q", tt.args, got.stdout+got.stderr)
		}
	}
}

func TestVerifyQuotesOddNames(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a\n\x1bb.scn", mine)
	if got := lockstep("verify", "."); got != (output{stdout: `ok       "a\n\x1bb.scn"` + "\n1 scenario, 2 variants: ok\n"}) {
		t.Errorf("%+v", got)
	}
}

func TestJoinedErrorsAreOneLine(t *testing.T) {
	if got := oneLine(errors.Join(errors.New("one"), errors.New("two \x07")).Error()); got != `one; two \a` {
		t.Errorf("got %q", got)
	}
}
