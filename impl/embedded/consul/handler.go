package consul

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// handler serves the HTTP API over a Store.
type handler struct{ store *Store }

// endpoint answers one kind of request. An error is answered with the status of
// its httpError, or 500.
type endpoint func(w http.ResponseWriter, r *http.Request) error

// Handler is the HTTP API of s. A blocking query ends when the context of its
// request does.
func Handler(s *Store) http.Handler {
	h := handler{store: s}
	mux := http.NewServeMux()
	for pattern, serve := range map[string]endpoint{
		"GET /v1/kv/{key...}":          h.readKV,
		"PUT /v1/kv/{key...}":          h.putKV,
		"DELETE /v1/kv/{key...}":       h.deleteKV,
		"PUT /v1/txn":                  h.txn,
		"PUT /v1/session/create":       h.createSession,
		"PUT /v1/session/renew/{id}":   h.renewSession,
		"PUT /v1/session/destroy/{id}": h.destroySession,
		"GET /v1/session/info/{id}":    h.sessionInfo,
		"GET /v1/session/list":         h.listSessions,
		"GET /v1/session/node/{node}":  h.nodeSessions,
		"GET /v1/agent/self":           h.agentSelf,
		"GET /v1/status/leader":        h.leader,
		"GET /v1/status/peers":         h.peers,
	} {
		mux.Handle(pattern, h.wrap(serve))
	}
	return mux
}

// httpError is an error with a status other than 500.
type httpError struct {
	status int
	err    error
}

func (e httpError) Error() string { return e.err.Error() }
func (e httpError) Unwrap() error { return e.err }

func badRequest(format string, args ...any) error {
	return httpError{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

func (h handler) wrap(serve endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h.checkScope(r.URL.Query())
		if err == nil {
			err = serve(w, r)
		}
		if err == nil {
			return
		}
		status := http.StatusInternalServerError
		var known httpError
		if errors.As(err, &known) {
			status = known.status
		}
		http.Error(w, err.Error(), status)
	}
}

// checkScope refuses what would be answered by another part of a real cluster.
func (h handler) checkScope(params url.Values) error {
	for _, name := range []string{"ns", "namespace", "partition", "peer"} {
		if params.Get(name) != "" {
			return badRequest("%s=%s: not supported by the embedded server", name, params.Get(name))
		}
	}
	if dc := params.Get("dc"); dc != "" && dc != h.store.opts.Datacenter {
		return fmt.Errorf("no path to datacenter %q, this is %q", dc, h.store.opts.Datacenter)
	}
	return nil
}

// query reads the parameters of a blocking query.
func query(params url.Values) (Query, error) {
	if params.Has("stale") && params.Has("consistent") {
		return Query{}, badRequest("stale and consistent exclude each other")
	}
	var q Query
	var err error
	if text := params.Get("index"); text != "" {
		if q.Index, err = strconv.ParseUint(text, 10, 64); err != nil {
			return q, badRequest("index=%s: not a number", text)
		}
	}
	if text := params.Get("wait"); text != "" {
		if q.Wait, err = time.ParseDuration(text); err != nil {
			return q, badRequest("wait=%s: not a duration such as 10s", text)
		}
	}
	return q, nil
}

func setMeta(w http.ResponseWriter, index uint64) {
	w.Header().Set("X-Consul-Index", strconv.FormatUint(index, 10))
	w.Header().Set("X-Consul-Knownleader", "true")
	w.Header().Set("X-Consul-Lastcontact", "0")
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(body)
	return err
}
