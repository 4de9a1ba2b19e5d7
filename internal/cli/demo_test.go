package cli

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/internal/demo"
	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

func TestDemoTellsItsVerdict(t *testing.T) {
	got := lockstep("demo", "redis", "--duration", "200ms", "--workers", "3", "--ttl", "2s")
	if got.status != statusOK || got.stderr != "" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
	if !strings.HasPrefix(got.stdout, "embedded redis, 3 workers, one lock, 200ms\n") ||
		!regexp.MustCompile(`(?m)^lost updates +0$`).MatchString(got.stdout) {
		t.Errorf("stdout:\n%s", got.stdout)
	}
}

func TestDemoWithoutTheLockGivesStatus1(t *testing.T) {
	got := lockstep("demo", "redis", "--no-lock", "--duration", "200ms")
	want := regexp.MustCompile(`\Alockstep: \d+ of \d+ updates were lost: without the lock \(--no-lock\) nothing keeps the workers apart\n\z`)
	if got.status != statusDiffers || !want.MatchString(got.stderr) {
		t.Errorf("%+v", got)
	}
}

func TestALostUpdateUnderTheLockGivesStatus1(t *testing.T) {
	for _, tt := range []struct {
		value int64
		err   error
		want  int
	}{
		{10, nil, statusOK}, {9, nil, statusDiffers}, {9, errors.New("the disk is full"), statusUsage},
	} {
		run := func(context.Context, demo.Options) (contest.Snapshot, error) {
			return contest.Snapshot{Increments: 10, Value: tt.value}, tt.err
		}
		var stderr strings.Builder
		a := &app{errOut: &stderr}
		if got := a.status(t.Context(), judge(t.Context(), demo.Options{}, run)); got != tt.want {
			t.Errorf("%+v: status %d, stderr %q", tt, got, &stderr)
		}
	}
}

func TestWrongUsageOfDemo(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"demo", "demo needs the name of a backend, such as redis, or a URL"},
		{"demo redis zk", `demo takes one backend: "zk" is too much`},
		{"demo redid", `invalid lock request: unknown backend "redid": did you mean "redis"?`},
		{"demo redis --workers 0", `--workers: "0" is not a number from 1 to 500`},
		{"demo redis --workers many", `--workers: "many" is not a number from 1 to 500`},
		{"demo redis --duration 0s", `--duration: "0s" is not a duration above zero, such as 10s`},
		{"demo redis --ttl soon", `--ttl: "soon" is not a duration above zero, such as 10s`},
		{"demo redis --ttl 1ms", "redislock: invalid lock request: TTL 1ms is below the minimum of 10ms"},
		{"demo redis --nolock", "unknown flag --nolock: did you mean --no-lock?"},
		{"demo redis://127.0.0.1:1", "lock: open redis://127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			want := output{stderr: "lockstep: " + tt.want + "\n", status: statusUsage}
			if got := lockstep(strings.Fields(tt.args)...); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}
