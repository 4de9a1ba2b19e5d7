package consul

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
)

func TestLockDelayIsReadInEveryFormThatClientsWrite(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`"0s"`: 0, `"15s"`: 15 * time.Second, `"1500ms"`: 1500 * time.Millisecond,
		`5`: 5 * time.Second, `5000000000`: 5 * time.Second,
	} {
		var d delay
		if err := d.UnmarshalJSON([]byte(text)); err != nil || time.Duration(d) != want {
			t.Errorf("lock-delay %s = %v, %v, want %v", text, time.Duration(d), err, want)
		}
	}
	for _, text := range []string{`"soon"`, `true`, `{}`} {
		var d delay
		if err := d.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("lock-delay %s was accepted", text)
		}
	}
}

func TestBadRequestsAreToldWhatIsWrong(t *testing.T) {
	h := Handler(newStore(t, Options{}))
	for _, tc := range []struct {
		request string
		body    string
		status  int
		says    string
	}{
		{"GET /v1/kv/k?index=x", "", http.StatusBadRequest, "index=x"},
		{"GET /v1/kv/k?wait=x", "", http.StatusBadRequest, "wait=x"},
		{"GET /v1/kv/k?stale&consistent", "", http.StatusBadRequest, "exclude"},
		{"GET /v1/kv/k?ns=team", "", http.StatusBadRequest, "ns=team"},
		{"GET /v1/kv/k?dc=mars", "", http.StatusInternalServerError, "mars"},
		{"GET /v1/kv/", "", http.StatusBadRequest, "no key"},
		{"GET /v1/kv/k%20", "", http.StatusBadRequest, "space"},
		{"GET /v1/catalog/services", "", http.StatusNotFound, ""},
		{"POST /v1/kv/k", "", http.StatusMethodNotAllowed, ""},
		{"PUT /v1/kv/k?cas=0&acquire=x", "", http.StatusBadRequest, "cas, acquire"},
		{"PUT /v1/kv/k?cas=x", "", http.StatusBadRequest, "cas=x"},
		{"PUT /v1/kv/k?flags=-1", "", http.StatusBadRequest, "flags=-1"},
		{"PUT /v1/kv/k?acquire=gone", "", http.StatusInternalServerError, "invalid session"},
		{"PUT /v1/kv/k", strings.Repeat("x", maxValueSize+1), http.StatusRequestEntityTooLarge, "524288"},
		{"DELETE /v1/kv/k?recurse&cas=1", "", http.StatusBadRequest, "recurse, cas"},
		{"PUT /v1/txn", "{", http.StatusBadRequest, "transaction"},
		{"PUT /v1/session/create", `{"LockDelay":"soon"}`, http.StatusBadRequest, "soon"},
		{"PUT /v1/session/create", `{"TTL":"1s"}`, http.StatusInternalServerError, "10s"},
		{"PUT /v1/session/renew/gone", "", http.StatusNotFound, "gone"},
	} {
		method, target, _ := strings.Cut(tc.request, " ")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(tc.body)))
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
			t.Errorf("%s: %d %s, want %d and %q", tc.request, w.Code, w.Body, tc.status, tc.says)
		}
	}
}

func TestRawReadReturnsTheValueAlone(t *testing.T) {
	s := newStore(t, Options{})
	mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "k", Value: []byte("v")})
	w := httptest.NewRecorder()
	Handler(s).ServeHTTP(w, httptest.NewRequest("GET", "/v1/kv/k?raw", nil))
	if w.Body.String() != "v" || w.Header().Get("X-Consul-Index") == "" {
		t.Errorf("body %q, header %v", w.Body, w.Header())
	}
}
