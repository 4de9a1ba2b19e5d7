package engine

import (
	"errors"
	"testing"

	"github.com/hashicorp/consul/api"
)

// The reasons are those of Consul 1.21, agent/consul/txn_endpoint.go and
// agent/consul/state.
func TestJudgeTellsWhyATransactionWasRolledBack(t *testing.T) {
	condition := &api.TxnError{OpIndex: 0, What: `key "k" exists`}
	for _, tc := range []struct {
		name   string
		failed api.TxnErrors
		want   Verdict
		err    error
	}{
		{"condition", api.TxnErrors{condition}, Refused, nil},
		{"held", api.TxnErrors{condition, {OpIndex: 1, What: `failed to lock key "k", lock is already held`}}, Refused, nil},
		{"lock-delay", api.TxnErrors{{OpIndex: 1, What: `failed to lock key "k" due to lock delay`}}, Delayed, nil},
		{"session", api.TxnErrors{{OpIndex: 1, What: `invalid session "s"`}}, SessionGone, nil},
		{"session and condition", api.TxnErrors{condition, {OpIndex: 1, What: `invalid session "s"`}}, SessionGone, nil},
		{"denied", api.TxnErrors{{OpIndex: 0, What: "Permission denied"}}, Refused, ErrRejected},
		{"something else", api.TxnErrors{{OpIndex: 1, What: "out of luck"}}, Refused, ErrRejected},
	} {
		got, err := judge(tc.failed)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, %v, want %v, %v", tc.name, got, err, tc.want, tc.err)
		}
	}
}
