package consulstore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// describe is a request in one line. Its first word is the name by which faults
// and counters find it.
func describe(r *http.Request, body []byte) *network.Request {
	text := r.Method + " " + r.URL.Path
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	switch {
	case path == "session/create":
		text = "CREATE session " + sessionText(body)
	case strings.HasPrefix(path, "session/renew/"):
		text = "RENEW " + strings.TrimPrefix(path, "session/renew/")
	case strings.HasPrefix(path, "session/destroy/"):
		text = "DESTROY " + strings.TrimPrefix(path, "session/destroy/")
	case path == "txn":
		text = "TXN " + txnText(body)
	case strings.HasPrefix(path, "kv/"):
		text = keyText(r, body)
	}
	command, _, _ := strings.Cut(text, " ")
	return &network.Request{Command: command, Text: text}
}

// key is the key that a request for one is about.
func key(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/v1/kv/") }

func keyText(r *http.Request, body []byte) string {
	params, text := r.URL.Query(), r.Method+" "+key(r)
	switch {
	case params.Get("index") != "":
		return fmt.Sprintf("%s after %s, wait %s", text, params.Get("index"), trace.Instant(int64(waitOf(r))))
	case params.Get("acquire") != "":
		return fmt.Sprintf("ACQUIRE %s %s by %s", key(r), body, params.Get("acquire"))
	case params.Get("release") != "":
		return fmt.Sprintf("RELEASE %s by %s", key(r), params.Get("release"))
	}
	return text
}

func sessionText(body []byte) string {
	var s struct{ TTL, LockDelay, Behavior string }
	_ = json.Unmarshal(body, &s) // the client wrote it
	text := short(s.TTL) + ", lock-delay " + short(s.LockDelay)
	if s.Behavior == api.SessionBehaviorDelete {
		text += ", delete"
	}
	return text
}

// short is a duration as all others are shown.
func short(duration string) string {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return duration
	}
	return trace.Instant(int64(d))
}

// txnText is a transaction: its conditions, and what it does; KEY@N is a key in
// the state of index N.
func txnText(body []byte) string {
	var ops []struct{ KV api.KVTxnOp }
	_ = json.Unmarshal(body, &ops) // the client wrote it
	var parts []string
	for _, op := range ops {
		parts = append(parts, operation(op.KV))
	}
	return strings.Join(parts, " ")
}

func operation(op api.KVTxnOp) string {
	switch op.Verb {
	case api.KVCheckNotExists:
		return "if no " + op.Key + ":"
	case api.KVCheckIndex:
		return fmt.Sprintf("if %s@%d:", op.Key, op.Index)
	case api.KVLock:
		return fmt.Sprintf("LOCK %s by %s", op.Value, op.Session)
	}
	return strings.ToUpper(string(op.Verb))
}

// outcome is an answer in a few words.
func outcome(r *network.Request, resp *http.Response, body []byte) string {
	switch command := r.Command; {
	case command == "TXN":
		return txnOutcome(r.Text, resp, body)
	case command == "GET":
		return entryText(resp, body)
	case command == "RENEW" && resp.StatusCode == http.StatusNotFound:
		return "no such session"
	case resp.StatusCode >= http.StatusBadRequest:
		line, _, _ := strings.Cut(string(body), "\n")
		return fmt.Sprintf("%d: %s", resp.StatusCode, line)
	case command == "CREATE":
		var created struct{ ID string }
		_ = json.Unmarshal(body, &created) // the server wrote it
		return created.ID
	case command == "RENEW":
		var renewed []api.SessionEntry
		_ = json.Unmarshal(body, &renewed) // the server wrote it
		return short(renewed[0].TTL)
	}
	return string(body)
}

func txnOutcome(text string, resp *http.Response, body []byte) string {
	var answer api.TxnResponse
	_ = json.Unmarshal(body, &answer) // the server wrote it
	if resp.StatusCode == http.StatusOK {
		if strings.Contains(text, ": LOCK ") { // the last operation, with the key as its result
			return fmt.Sprintf("done at %d", answer.Results[len(answer.Results)-1].KV.ModifyIndex)
		}
		return "done"
	}
	for _, failed := range answer.Errors {
		switch {
		case strings.Contains(failed.What, "lock delay"):
			return "refused: lock-delay"
		case strings.Contains(failed.What, "invalid session"):
			return "refused: no such session"
		}
	}
	return "refused"
}

func entryText(resp *http.Response, body []byte) string {
	var pairs api.KVPairs
	_ = json.Unmarshal(body, &pairs) // the server wrote it, if the key exists
	if len(pairs) == 0 {
		return "none at " + resp.Header.Get(indexHeader)
	}
	var parts []string
	for _, p := range pairs {
		parts = append(parts, fmt.Sprintf("%s@%d%s", p.Value, p.ModifyIndex, holder(p)))
	}
	return strings.Join(parts, ", ")
}

func holder(p *api.KVPair) string {
	if p.Session == "" {
		return " (free)"
	}
	return " of " + p.Session
}
