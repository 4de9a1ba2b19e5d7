package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/tui"
)

// shown is how the terminal interface was opened.
type shown struct {
	times int
	lib   tui.Library
	opts  tui.Options
}

// onTerminal executes a command line as if there were a terminal.
func onTerminal(t *testing.T, result error, args ...string) (shown, output) {
	t.Helper()
	var s shown
	var stdout, stderr bytes.Buffer
	a := &app{
		in: strings.NewReader(""), out: &stdout, errOut: &stderr, lang: lessons.English,
		terminal: func() bool { return true },
		show: func(ctx context.Context, lib tui.Library, opts tui.Options) error {
			s = shown{s.times + 1, lib, opts}
			return result
		},
	}
	status := a.execute(args)
	return s, output{stdout.String(), stderr.String(), status}
}

func TestTerminalInterfaceIsOpened(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", mine)
	for _, tt := range []struct {
		args string
		want tui.Options
	}{
		{"", tui.Options{Lang: tui.English}},
		{"--lang zh --ascii", tui.Options{Lang: tui.Chinese, ASCII: true}},
		{"play redis/02", tui.Options{Lang: tui.English, Lesson: "redis/02-del-mis-delete", Variant: "del"}},
		{"play redis/02 --variant compare-and-delete --ascii --lang zh", tui.Options{
			Lang: tui.Chinese, ASCII: true, Lesson: "redis/02-del-mis-delete", Variant: "compare-and-delete"}},
		{"play mine.scn", tui.Options{Lang: tui.English, Lesson: "mine.scn", Variant: "del"}},
	} {
		s, out := onTerminal(t, nil, strings.Fields(tt.args)...)
		if s.times != 1 || s.opts != tt.want || out != (output{}) {
			t.Errorf("%q: opened %d times with %+v, output %+v", tt.args, s.times, s.opts, out)
			continue
		}
		if s.opts.Lesson == "" {
			continue
		}
		if _, err := s.lib.Open(t.Context(), s.opts.Lesson, s.opts.Variant); err != nil {
			t.Errorf("%q: the library does not know the lesson: %v", tt.args, err)
		}
	}
}

func TestErrorOfTheTerminalInterfaceIsTold(t *testing.T) {
	_, got := onTerminal(t, errors.New("tui: no such device"))
	if want := (output{stderr: "lockstep: tui: no such device\n", status: statusUsage}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWhatIsWrongIsToldBeforeTheScreenOpens(t *testing.T) {
	s, got := onTerminal(t, nil, "play", "redis/02", "--variant", "nope")
	if s.times != 0 || got.status != statusUsage || !strings.Contains(got.stderr, `no variant "nope"`) {
		t.Errorf("opened %d times, output %+v", s.times, got)
	}
}

func TestPlainTellsTheWholeLesson(t *testing.T) {
	for lang, wants := range map[string][]string{
		"en": {"# DEL deletes another's lock\n\nA client is done", "Variant del", "[start, 0ms]\n", "`DEL` answers 1, as", "Variant compare-and-delete", "The script compares", "\n## What to do instead\n", "\n## Where it comes from\n"},
		"zh": {"# DEL 删掉了别人的锁\n\n客户端做完工作", "变体 del", "[start, 0ms]\n", "`DEL` 返回 1，", "变体 compare-and-delete", "脚本先比较", "\n## 应该怎么做\n", "\n## 出处\n"},
	} {
		got := lockstep("play", "redis/02", "--plain", "--lang", lang)
		if got.status != statusOK || got.stderr != "" {
			t.Errorf("status %d, stderr %q", got.status, got.stderr)
		}
		rest := got.stdout
		for _, want := range wants {
			before, behind, ok := strings.Cut(rest, want)
			if !ok {
				t.Fatalf("no %q, or not in its place, in\n%s", want, before)
			}
			rest = behind
		}
		if other := lockstep("--plain", "redis/02", "--lang", lang); other != got {
			t.Error("lockstep --plain ID differs from lockstep play ID --plain")
		}
	}
}

func TestPlainTellsOneVariant(t *testing.T) {
	got := lockstep("play", "redis/02", "--plain", "--variant", "del")
	if !strings.Contains(got.stdout, "Variant del") || strings.Contains(got.stdout, "Variant compare-and-delete") {
		t.Errorf("%s", got.stdout)
	}
}

func TestPlainTakesAFileWithoutTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", mine)
	got := lockstep("play", "mine.scn", "--plain")
	if got.status != statusOK || got.stdout != lockstep("run", "mine.scn").stdout {
		t.Errorf("%+v", got)
	}
}
