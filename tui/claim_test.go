package tui

import (
	"testing"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestABeliefAgreesWithTheTruthOfItsGrant(t *testing.T) {
	for _, c := range []struct {
		name         string
		owner, grant string
		in           string // who owns it in the store
		want         bool
	}{
		{"the same grant", "A#1", "A#1", "A", true},
		{"an earlier grant", "A#1", "A#2", "A", false},
		{"somebody else's", "A#1", "B#1", "B", false},
		{"nobody's", "A#1", "", "", false},
		{"re-entry under the client's name", "A", "A#1", "A", true},
		{"a store that knows no grants", "A#1", "", "A", true},
	} {
		b := trace.Belief{Actor: "A", Holds: true, Owner: c.owner}
		if got := agrees(b, trace.Truth{Owner: c.in, Grant: c.grant}); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func TestAClaimOnWhatTheStoreCallsFreeIsInDoubt(t *testing.T) {
	tape := &tape{}
	grant := []trace.Belief{{Actor: "A", Lock: "k", Holds: true, Owner: "A#1"}}
	tape.add(1, trace.Event{Actor: "A", Kind: trace.KindBelief, Text: "x", Beliefs: grant})
	tape.add(2, trace.Event{Actor: "redis", Kind: trace.KindNote, Text: "x", Truths: []trace.Truth{{Lock: "k", Owner: "B"}}})
	line := newTimeline(tape.trace(trace.Header{Lock: "k", Actors: actorsOf("redis", "A", "B")}))
	if got := line.lane(1, 1).claim; got != claimDoubts {
		t.Errorf("claim %v before the store has named anybody, want doubts", got)
	}
}
