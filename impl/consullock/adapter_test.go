package consullock

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// The reasons are those of Consul 1.21, agent/consul/txn_endpoint.go and
// agent/consul/state.
func TestJudgeTellsWhyATransactionWasRolledBack(t *testing.T) {
	condition := &api.TxnError{OpIndex: 0, What: `key "k" exists`}
	for _, tc := range []struct {
		name   string
		failed api.TxnErrors
		want   verdict
		err    error
	}{
		{"condition", api.TxnErrors{condition}, refused, nil},
		{"held", api.TxnErrors{condition, {OpIndex: 1, What: `failed to lock key "k", lock is already held`}}, refused, nil},
		{"lock-delay", api.TxnErrors{{OpIndex: 1, What: `failed to lock key "k" due to lock delay`}}, delayed, nil},
		{"session", api.TxnErrors{{OpIndex: 1, What: `invalid session "s"`}}, sessionGone, nil},
		{"session and condition", api.TxnErrors{condition, {OpIndex: 1, What: `invalid session "s"`}}, sessionGone, nil},
		{"denied", api.TxnErrors{{OpIndex: 0, What: "Permission denied"}}, refused, errRejected},
		{"something else", api.TxnErrors{{OpIndex: 1, What: "out of luck"}}, refused, errRejected},
	} {
		got, err := judge(tc.failed)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, %v, want %v, %v", tc.name, got, err, tc.want, tc.err)
		}
	}
}

func TestAnswerOfTheServerThatSaysNoIsFinal(t *testing.T) {
	for name, tc := range map[string]struct {
		status  int
		body    string
		unknown bool // so the key is looked at
	}{
		"denied":              {http.StatusForbidden, "Permission denied", false},
		"denied in the parts": {http.StatusConflict, `{"Errors":[{"OpIndex":0,"What":"Permission denied"}]}`, false},
		"unreadable reason":   {http.StatusConflict, "<html>", false},
		"no leader":           {http.StatusInternalServerError, "No cluster leader", true},
		"nonsense":            {http.StatusOK, "{}", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newProcess(t, newStore(t), Config{})
			mustRelease(t, mustAcquire(t, a, "warm-up"))
			a.net.requests()
			// The request is lost, and somebody answers in place of the server.
			a.net.inject(fault{kind: take, instead: func() *http.Response {
				return &http.Response{StatusCode: tc.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tc.body))}
			}})
			_, err := a.Acquire(background, "k")
			if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
				t.Errorf("error = %v, want ErrNotAcquired", err)
			}
			if got := a.net.requests(); slices.Contains(got, read) != tc.unknown {
				t.Errorf("requests = %q, want a look: %v", got, tc.unknown)
			}
			mustRelease(t, mustAcquire(t, a, "k"))
		})
	}
}
