package tui

import (
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// keysScene is a scene of a run whose steps change keys of redis, of a second
// store and of the resource report.
func keysScene(step int, stores []string, changes ...trace.KeyChange) *scene {
	h := trace.Header{}
	for _, name := range stores {
		h.Actors = append(h.Actors, trace.Actor{Name: name, Role: trace.RoleStore})
	}
	h.Actors = append(h.Actors, trace.Actor{Name: "report", Role: trace.RoleResource})
	t := &tape{}
	for i, c := range changes {
		t.add(int64(i), trace.Event{Actor: c.Store, Kind: trace.KindNote, Changes: []trace.KeyChange{c}})
	}
	tr := t.trace(h)
	return &scene{theme: newTheme(false, false, backgroundUnknown), line: newTimeline(tr), step: step, world: tr.At(step)}
}

func linesText(lines []cells.Line) string {
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.Text())
	}
	return strings.Join(texts, "\n")
}

func TestTheStorePaneShowsWhatMattersFirst(t *testing.T) {
	one := []string{"redis"}
	written := []trace.KeyChange{
		{Store: "redis", Key: "lock:report", Value: "A#1", Expires: 300 * ms, TTL: 300 * ms},
		{Store: "redis", Key: "lock:report:token", Value: "34"},
		{Store: "report", Key: "report", Value: "7"},
	}
	again := append(written[:2:2], trace.KeyChange{Store: "redis", Key: "lock:report", Value: "A#1", Expires: 302 * ms, TTL: 300 * ms})
	for _, c := range []struct {
		name    string
		stores  []string
		changes []trace.KeyChange
		width   int
		height  int
		title   string
		want    string
	}{
		{"resources are first, all fits", one, written, 40, 5, "store · redis",
			"report = 7 ◂\nlock:report = A#1\n  ████████ 298 ms of 300 ms\nlock:report:token = 34\n  no expiry"},
		{"few rows: the last change is first, nothing about what never ends", one, written, 40, 4, "store · redis",
			"report = 7 ◂\nlock:report:token = 34\nlock:report = A#1\n  ████████ 298 ms of 300 ms"},
		{"few rows: an older key that has changed again is first", one, again, 40, 3, "store · redis",
			"lock:report = A#1 ◂\n  ████████ 300 ms of 300 ms\nlock:report:token = 34"},
		{"few columns: the key gives way to the value", one, written, 20, 4, "store · redis",
			"report = 7 ◂\nlock:re…t:token = 34\nlock:report = A#1\n  ████████ 298 ms"},
		{"few columns: no key vanishes", one, written[1:2], 13, 1, "store · redis", "loc…ken =… ◂"},
		{"a resource alone", nil, written[2:], 20, 4, "store", "report = 7 ◂"},
		{"an empty store beside a resource", one, written[2:], 20, 4, "store · redis", "report = 7 ◂\nredis is empty"},
		{"an empty store", one, nil, 20, 4, "store · redis", "empty"},
		{"a key that is gone", one, append(written[:1:1], trace.KeyChange{Store: "redis", Key: "lock:report", Deleted: true}), 17, 4,
			"store · redis", "− loc…ort deleted"},
		{"two stores have their names", []string{"n1", "n2"}, []trace.KeyChange{
			{Store: "n1", Key: "k", Value: "1"}, {Store: "n2", Key: "k", Value: "2"},
		}, 20, 9, "store", "n1\nk = 1\n  no expiry\nn2\nk = 2 ◂\n  no expiry"},
		{"two stores and few rows: the last change is first", []string{"n1", "n2"}, []trace.KeyChange{
			{Store: "n1", Key: "k", Value: "1"}, {Store: "n2", Key: "k", Value: "2"},
		}, 20, 4, "store", "n2\nk = 2 ◂\nn1\nk = 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := keysScene(len(c.changes), c.stores, c.changes...).stores(c.width, c.height)
			if got.title != c.title || linesText(got.lines) != c.want {
				t.Errorf("got  %q\n%s\nwant %q\n%s", got.title, linesText(got.lines), c.title, c.want)
			}
		})
	}
}

func TestAKeyChangesAtItsOwnSteps(t *testing.T) {
	s := keysScene(0, []string{"redis"},
		trace.KeyChange{Store: "redis", Key: "a", Value: "1"}, trace.KeyChange{Store: "redis", Key: "b", Value: "1"},
		trace.KeyChange{Store: "redis", Key: "a", Value: "2"})
	for step, want := range []int{0, 1, 1, 3} {
		if got := s.line.changedAt(step, trace.KeyID{Store: "redis", Key: "a"}); got != want {
			t.Errorf("step %d: changed at %d, want %d", step, got, want)
		}
	}
}
