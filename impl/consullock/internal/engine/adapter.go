package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"
)

// The errors after which the outcome of a request is known: nothing happened.
var (
	ErrRejected = errors.New("rejected by the server")
	ErrNotSent  = errors.New("not sent")
)

// API is the backend on the official client.
type API struct{ Client *api.Client }

// sessionBody is the request for a session. The client's own Create leaves out a
// lock-delay of zero, for which the server then takes 15 s.
type sessionBody struct {
	Name       string
	TTL        string
	LockDelay  string
	Behavior   string
	NodeChecks []string // empty, not absent: without any the server adds its own
}

// CreateSession implements [Backend].
func (a API) CreateSession(ctx context.Context, spec SessionSpec) (string, error) {
	body := sessionBody{
		Name: spec.Name, TTL: spec.TTL.String(), LockDelay: spec.LockDelay.String(),
		Behavior: spec.Behavior, NodeChecks: []string{},
	}
	var answer struct{ ID string }
	_, err := a.Client.Raw().Write("/v1/session/create", body, &answer, writeOptions(ctx))
	return answer.ID, Classify(err)
}

// RenewSession implements [Backend].
func (a API) RenewSession(ctx context.Context, id string) (bool, error) {
	found, _, err := a.Client.Session().Renew(id, writeOptions(ctx))
	return found != nil, Classify(err)
}

// DestroySession implements [Backend].
func (a API) DestroySession(ctx context.Context, id string) error {
	_, err := a.Client.Session().Destroy(id, writeOptions(ctx))
	return Classify(err)
}

// Lock implements [Backend].
func (a API) Lock(ctx context.Context, p Place, c Claim) (uint64, Verdict, error) {
	results, failed, err := a.txn(ctx, asSeen(p), &api.KVTxnOp{
		Verb: api.KVLock, Key: p.Key, Session: c.Session, Value: []byte(c.Owner), Flags: c.Flags,
	})
	switch {
	case err != nil:
		return 0, Refused, err
	case len(failed) > 0:
		v, err := judge(failed)
		return 0, v, err
	case len(results) == 0 || results[len(results)-1].KV == nil:
		return 0, Refused, errors.New("the answer to the transaction lacks the key")
	}
	return results[len(results)-1].KV.ModifyIndex, Granted, nil
}

// Unlock implements [Backend].
func (a API) Unlock(ctx context.Context, p Place, _ Claim) (bool, error) {
	_, failed, err := a.txn(ctx, asSeen(p), &api.KVTxnOp{Verb: api.KVDelete, Key: p.Key})
	return err == nil && len(failed) == 0, err
}

// asSeen is the condition that p still is what it was.
func asSeen(p Place) *api.KVTxnOp {
	if p.Index == 0 {
		return &api.KVTxnOp{Verb: api.KVCheckNotExists, Key: p.Key}
	}
	return &api.KVTxnOp{Verb: api.KVCheckIndex, Key: p.Key, Index: p.Index}
}

// judge tells why a lock transaction was rolled back. Consul says it in words.
func judge(failed api.TxnErrors) (Verdict, error) {
	condition := false
	for _, f := range failed {
		switch {
		case strings.Contains(f.What, "lock delay"):
			return Delayed, nil
		case strings.Contains(f.What, "invalid session"):
			return SessionGone, nil
		case strings.Contains(f.What, "ermission denied"):
			return Refused, fmt.Errorf("%w: %s", ErrRejected, f.What)
		}
		condition = condition || f.OpIndex == 0
	}
	if !condition {
		return Refused, fmt.Errorf("%w: %s", ErrRejected, failed[0].What)
	}
	return Refused, nil
}

// txn runs a transaction. It does not use the client's own, which hides the
// status of a failure: whether the server said no or did not get to it.
func (a API) txn(ctx context.Context, ops ...*api.KVTxnOp) (api.TxnResults, api.TxnErrors, error) {
	body := make(api.TxnOps, len(ops))
	for i, op := range ops {
		body[i] = &api.TxnOp{KV: op}
	}
	var answer api.TxnResponse
	_, err := a.Client.Raw().Write("/v1/txn", body, &answer, writeOptions(ctx))
	var status api.StatusError
	if errors.As(err, &status) && status.Code == http.StatusConflict {
		if err := json.Unmarshal([]byte(status.Body), &answer); err != nil {
			return nil, nil, fmt.Errorf("%w: unreadable reason: %w", ErrRejected, err)
		}
		return nil, answer.Errors, nil
	}
	return answer.Results, nil, Classify(err)
}

// Get implements [Backend].
func (a API) Get(ctx context.Context, key string) (Entry, error) {
	pair, _, err := a.Client.KV().Get(key, (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx))
	return entryOf(key, pair), Classify(err)
}

// WatchKey implements [Backend].
func (a API) WatchKey(ctx context.Context, key string, since uint64, wait time.Duration) (Entry, uint64, error) {
	pair, meta, err := a.Client.KV().Get(key, waitOptions(ctx, since, wait))
	if err != nil {
		return Entry{}, 0, Classify(err)
	}
	return entryOf(key, pair), meta.LastIndex, nil
}

// WatchTree implements [Backend].
func (a API) WatchTree(ctx context.Context, prefix string, since uint64, wait time.Duration) ([]Entry, uint64, error) {
	pairs, meta, err := a.Client.KV().List(prefix, waitOptions(ctx, since, wait))
	if err != nil {
		return nil, 0, Classify(err)
	}
	entries := make([]Entry, len(pairs))
	for i, pair := range pairs {
		entries[i] = entryOf(pair.Key, pair)
	}
	return entries, meta.LastIndex, nil
}

func entryOf(key string, pair *api.KVPair) Entry {
	if pair == nil {
		return Entry{Key: key}
	}
	return Entry{Key: key, Index: pair.ModifyIndex, Session: pair.Session, Owner: string(pair.Value), Flags: pair.Flags}
}

// Classify marks an error of the client with [ErrRejected] or [ErrNotSent]
// where it tells the outcome of the request.
func Classify(err error) error {
	var status api.StatusError
	var op *net.OpError
	switch {
	case errors.As(err, &status) && status.Code >= 400 && status.Code < 500:
		return fmt.Errorf("%w: %w", ErrRejected, err)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	return err
}

func writeOptions(ctx context.Context) *api.WriteOptions {
	return new(api.WriteOptions).WithContext(ctx)
}

func waitOptions(ctx context.Context, since uint64, wait time.Duration) *api.QueryOptions {
	return (&api.QueryOptions{WaitIndex: since, WaitTime: wait}).WithContext(ctx)
}
