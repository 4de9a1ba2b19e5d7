package consul

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hashicorp/consul/api"
)

func (h handler) readKV(w http.ResponseWriter, r *http.Request) error {
	params, key := r.URL.Query(), r.PathValue("key")
	q, err := query(params)
	if err != nil {
		return err
	}
	switch {
	case params.Has("keys"):
		return h.readKeys(w, r, key, q)
	case params.Has("recurse"):
		return h.readTree(w, r, key, q)
	}
	if err := checkKey(key); err != nil {
		return err
	}
	entry, index, err := h.store.Get(r.Context(), key, q)
	if err != nil {
		return err
	}
	setMeta(w, index)
	switch {
	case entry == nil:
		w.WriteHeader(http.StatusNotFound)
		return nil
	case params.Has("raw"):
		w.Header().Set("Content-Type", "text/plain")
		_, err = w.Write(entry.Value)
		return err
	}
	return writeJSON(w, http.StatusOK, api.KVPairs{entry})
}

func (h handler) readTree(w http.ResponseWriter, r *http.Request, prefix string, q Query) error {
	list, index, err := h.store.List(r.Context(), prefix, q)
	if err != nil {
		return err
	}
	setMeta(w, index)
	if len(list) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	return writeJSON(w, http.StatusOK, list)
}

func (h handler) readKeys(w http.ResponseWriter, r *http.Request, prefix string, q Query) error {
	keys, index, err := h.store.Keys(r.Context(), prefix, r.URL.Query().Get("separator"), q)
	if err != nil {
		return err
	}
	setMeta(w, index)
	if len(keys) == 0 && prefix != "" {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	return writeJSON(w, http.StatusOK, keys)
}

func (h handler) putKV(w http.ResponseWriter, r *http.Request) error {
	params := r.URL.Query()
	op := api.KVTxnOp{Verb: api.KVSet, Key: r.PathValue("key")}
	if err := checkKey(op.Key); err != nil {
		return err
	}
	if err := exclusive(params, "cas", "acquire", "release"); err != nil {
		return err
	}
	var err error
	if op.Flags, err = number(params, "flags"); err != nil {
		return err
	}
	switch {
	case params.Has("cas"):
		op.Verb = api.KVCAS
		op.Index, err = number(params, "cas")
	case params.Has("acquire"):
		op.Verb, op.Session = api.KVLock, params.Get("acquire")
	case params.Has("release"):
		op.Verb, op.Session = api.KVUnlock, params.Get("release")
	}
	if err != nil {
		return err
	}
	if op.Value, err = body(w, r); err != nil {
		return err
	}
	return h.do(w, op)
}

func (h handler) deleteKV(w http.ResponseWriter, r *http.Request) error {
	params := r.URL.Query()
	op := api.KVTxnOp{Verb: api.KVDelete, Key: r.PathValue("key")}
	if err := exclusive(params, "recurse", "cas"); err != nil {
		return err
	}
	if params.Has("recurse") {
		op.Verb = api.KVDeleteTree
		return h.do(w, op)
	}
	if err := checkKey(op.Key); err != nil {
		return err
	}
	if params.Has("cas") {
		var err error
		if op.Index, err = number(params, "cas"); err != nil {
			return err
		}
		op.Verb = api.KVDeleteCAS
	}
	return h.do(w, op)
}

func (h handler) do(w http.ResponseWriter, op api.KVTxnOp) error {
	ok, err := h.store.Do(op)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, ok)
}

// txnOp is an operation of a transaction as it arrives. What is not about keys
// is only looked at for its presence.
type txnOp struct {
	KV      *api.KVTxnOp
	Node    json.RawMessage
	Service json.RawMessage
	Check   json.RawMessage
}

func (h handler) txn(w http.ResponseWriter, r *http.Request) error {
	data, err := body(w, r)
	if err != nil {
		return err
	}
	var in []txnOp
	if err := json.Unmarshal(data, &in); err != nil {
		return badRequest("transaction: %w", err)
	}
	if len(in) > maxTxnOps {
		return httpError{http.StatusRequestEntityTooLarge, fmt.Errorf("transaction: %d operations, at most %d are allowed", len(in), maxTxnOps)}
	}
	ops := make([]api.KVTxnOp, len(in))
	for i, op := range in {
		if op.KV == nil {
			return badRequest("transaction: operation %d is not about a key, which the embedded server does not support", i)
		}
		ops[i] = *op.KV
	}
	entries, failed, err := h.store.Txn(ops)
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return writeJSON(w, http.StatusConflict, api.TxnResponse{Errors: failed})
	}
	results := make(api.TxnResults, len(entries))
	for i, e := range entries {
		results[i] = &api.TxnResult{KV: e}
	}
	return writeJSON(w, http.StatusOK, api.TxnResponse{Results: results})
}

// checkKey refuses the names that a real server refuses by default.
func checkKey(key string) error {
	switch {
	case key == "":
		return badRequest("no key name given")
	case strings.TrimSpace(key) != key:
		return badRequest("key %q starts or ends with a space", key)
	}
	return nil
}

// exclusive refuses more than one of the named parameters.
func exclusive(params url.Values, names ...string) error {
	var found []string
	for _, name := range names {
		if params.Has(name) {
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		return badRequest("the parameters %s exclude each other", strings.Join(found, ", "))
	}
	return nil
}

// number reads a parameter that is a number, or zero where it is absent.
func number(params url.Values, name string) (uint64, error) {
	if !params.Has(name) {
		return 0, nil
	}
	n, err := strconv.ParseUint(params.Get(name), 10, 64)
	if err != nil {
		return 0, badRequest("%s=%s: not a number", name, params.Get(name))
	}
	return n, nil
}

// body reads the body of a request, up to the size of the largest value.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxValueSize))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, httpError{http.StatusRequestEntityTooLarge, fmt.Errorf("the body is larger than %d bytes", maxValueSize)}
	case err != nil:
		return nil, badRequest("read the body: %w", err)
	case len(data) == 0:
		return nil, nil
	}
	return data, nil
}
