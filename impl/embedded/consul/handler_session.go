package consul

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/consul/api"
)

// sessionRequest is the body of a session's creation. Absent lists differ from
// empty ones: only without any does a session get the server's own check.
type sessionRequest struct {
	Name, Node, Behavior, TTL string
	LockDelay                 *delay
	Checks, NodeChecks        []string
	ServiceChecks             []api.ServiceCheck
}

// delay is a lock-delay as clients write it: a duration such as "15s", or a
// number of nanoseconds. Below 1000 either one means seconds.
type delay time.Duration

const delayUnitThreshold = 1000

func (d *delay) UnmarshalJSON(data []byte) error {
	var text string
	var n int64
	if err := json.Unmarshal(data, &text); err == nil {
		v, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("lock-delay %q is not a duration such as 15s", text)
		}
		n = int64(v)
	} else if err := json.Unmarshal(data, &n); err != nil {
		return fmt.Errorf("lock-delay %s is neither a duration nor a number", data)
	}
	if n < delayUnitThreshold {
		n *= int64(time.Second)
	}
	*d = delay(n)
	return nil
}

func (req sessionRequest) entry() api.SessionEntry {
	entry := api.SessionEntry{
		Name: req.Name, Node: req.Node, Behavior: req.Behavior, TTL: req.TTL,
		LockDelay: defaultLockDelay, Checks: req.Checks, NodeChecks: req.NodeChecks,
		ServiceChecks: req.ServiceChecks,
	}
	if req.LockDelay != nil {
		entry.LockDelay = time.Duration(*req.LockDelay)
	}
	if req.Checks == nil && req.NodeChecks == nil {
		entry.NodeChecks = []string{SerfCheck}
	}
	return entry
}

func (h handler) createSession(w http.ResponseWriter, r *http.Request) error {
	data, err := body(w, r)
	if err != nil {
		return err
	}
	var req sessionRequest
	if len(data) > 0 {
		if err := json.Unmarshal(data, &req); err != nil {
			return badRequest("session: %w", err)
		}
	}
	id, err := h.store.CreateSession(req.entry())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct{ ID string }{id})
}

func (h handler) renewSession(w http.ResponseWriter, r *http.Request) error {
	entry, found, err := h.store.RenewSession(r.PathValue("id"))
	if err != nil {
		return err
	}
	if !found {
		return httpError{http.StatusNotFound, fmt.Errorf("session %q does not exist", r.PathValue("id"))}
	}
	return writeJSON(w, http.StatusOK, []api.SessionEntry{entry})
}

func (h handler) destroySession(w http.ResponseWriter, r *http.Request) error {
	if err := h.store.DestroySession(r.PathValue("id")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, true)
}

func (h handler) sessionInfo(w http.ResponseWriter, r *http.Request) error {
	return h.sessions(w, r, func(e api.SessionEntry) bool { return e.ID == r.PathValue("id") })
}

func (h handler) listSessions(w http.ResponseWriter, r *http.Request) error {
	return h.sessions(w, r, func(api.SessionEntry) bool { return true })
}

func (h handler) nodeSessions(w http.ResponseWriter, r *http.Request) error {
	return h.sessions(w, r, func(e api.SessionEntry) bool { return e.Node == r.PathValue("node") })
}

// sessions answers with the sessions that keep selects.
func (h handler) sessions(w http.ResponseWriter, r *http.Request, keep func(api.SessionEntry) bool) error {
	q, err := query(r.URL.Query())
	if err != nil {
		return err
	}
	all, index, err := h.store.Sessions(r.Context(), q)
	if err != nil {
		return err
	}
	list := []api.SessionEntry{}
	for _, e := range all {
		if keep(e) {
			list = append(list, e)
		}
	}
	setMeta(w, index)
	return writeJSON(w, http.StatusOK, list)
}
