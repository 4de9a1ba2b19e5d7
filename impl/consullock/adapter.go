package consullock

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

var (
	errRejected = errors.New("rejected by the server")
	errNotSent  = errors.New("not sent")
)

// apiBackend is the backend on the official client.
type apiBackend struct{ client *api.Client }

// sessionBody is the request for a session. The client's own Create leaves out a
// lock-delay of zero, for which the server then takes 15 s.
type sessionBody struct {
	Name       string
	TTL        string
	LockDelay  string
	Behavior   Behavior
	NodeChecks []string // empty, not absent: without any the server adds its own
}

func (b apiBackend) createSession(ctx context.Context, spec sessionSpec) (string, error) {
	body := sessionBody{
		Name: spec.name, TTL: spec.ttl.String(), LockDelay: spec.lockDelay.String(),
		Behavior: spec.behavior, NodeChecks: []string{},
	}
	var answer struct{ ID string }
	_, err := b.client.Raw().Write("/v1/session/create", body, &answer, writeOptions(ctx))
	return answer.ID, classify(err)
}

func (b apiBackend) renewSession(ctx context.Context, id string) (bool, error) {
	found, _, err := b.client.Session().Renew(id, writeOptions(ctx))
	return found != nil, classify(err)
}

func (b apiBackend) destroySession(ctx context.Context, id string) error {
	_, err := b.client.Session().Destroy(id, writeOptions(ctx))
	return classify(err)
}

func (b apiBackend) lock(ctx context.Context, p place, cl claim) (uint64, verdict, error) {
	results, failed, err := b.txn(ctx, asSeen(p), &api.KVTxnOp{
		Verb: api.KVLock, Key: p.key, Session: cl.session, Value: []byte(cl.owner), Flags: cl.flags,
	})
	switch {
	case err != nil:
		return 0, refused, err
	case len(failed) > 0:
		v, err := judge(failed)
		return 0, v, err
	case len(results) == 0 || results[len(results)-1].KV == nil:
		return 0, refused, errors.New("the answer to the transaction lacks the key")
	}
	return results[len(results)-1].KV.ModifyIndex, granted, nil
}

// asSeen is the condition that p still is what it was.
func asSeen(p place) *api.KVTxnOp {
	if p.index == 0 {
		return &api.KVTxnOp{Verb: api.KVCheckNotExists, Key: p.key}
	}
	return &api.KVTxnOp{Verb: api.KVCheckIndex, Key: p.key, Index: p.index}
}

// judge tells why a lock transaction was rolled back. Consul says it in words.
func judge(failed api.TxnErrors) (verdict, error) {
	condition := false
	for _, f := range failed {
		switch {
		case strings.Contains(f.What, "lock delay"):
			return delayed, nil
		case strings.Contains(f.What, "invalid session"):
			return sessionGone, nil
		case strings.Contains(f.What, "ermission denied"):
			return refused, fmt.Errorf("%w: %s", errRejected, f.What)
		}
		condition = condition || f.OpIndex == 0
	}
	if !condition {
		return refused, fmt.Errorf("%w: %s", errRejected, failed[0].What)
	}
	return refused, nil
}

func (b apiBackend) unlock(ctx context.Context, key string, index uint64) (bool, error) {
	_, failed, err := b.txn(ctx,
		&api.KVTxnOp{Verb: api.KVCheckIndex, Key: key, Index: index},
		&api.KVTxnOp{Verb: api.KVDelete, Key: key})
	return err == nil && len(failed) == 0, err
}

// txn runs a transaction. It does not use the client's own, which hides the
// status of a failure: whether the server said no or did not get to it.
func (b apiBackend) txn(ctx context.Context, ops ...*api.KVTxnOp) (api.TxnResults, api.TxnErrors, error) {
	body := make(api.TxnOps, len(ops))
	for i, op := range ops {
		body[i] = &api.TxnOp{KV: op}
	}
	var answer api.TxnResponse
	_, err := b.client.Raw().Write("/v1/txn", body, &answer, writeOptions(ctx))
	var status api.StatusError
	if errors.As(err, &status) && status.Code == http.StatusConflict {
		if err := json.Unmarshal([]byte(status.Body), &answer); err != nil {
			return nil, nil, fmt.Errorf("%w: unreadable reason: %w", errRejected, err)
		}
		return nil, answer.Errors, nil
	}
	return answer.Results, nil, classify(err)
}

func (b apiBackend) get(ctx context.Context, key string) (entry, error) {
	pair, _, err := b.client.KV().Get(key, (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx))
	return entryOf(key, pair), classify(err)
}

func (b apiBackend) watchKey(ctx context.Context, key string, since uint64, wait time.Duration) (entry, uint64, error) {
	pair, meta, err := b.client.KV().Get(key, waitOptions(ctx, since, wait))
	if err != nil {
		return entry{}, 0, classify(err)
	}
	return entryOf(key, pair), meta.LastIndex, nil
}

func (b apiBackend) watchTree(ctx context.Context, prefix string, since uint64, wait time.Duration) ([]entry, uint64, error) {
	pairs, meta, err := b.client.KV().List(prefix, waitOptions(ctx, since, wait))
	if err != nil {
		return nil, 0, classify(err)
	}
	entries := make([]entry, len(pairs))
	for i, pair := range pairs {
		entries[i] = entryOf(pair.Key, pair)
	}
	return entries, meta.LastIndex, nil
}

func entryOf(key string, pair *api.KVPair) entry {
	if pair == nil {
		return entry{key: key}
	}
	return entry{key: key, index: pair.ModifyIndex, session: pair.Session, owner: string(pair.Value), flags: pair.Flags}
}

// classify marks the errors after which the outcome of a request is known.
func classify(err error) error {
	var status api.StatusError
	var op *net.OpError
	switch {
	case errors.As(err, &status) && status.Code >= 400 && status.Code < 500:
		return fmt.Errorf("%w: %w", errRejected, err)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	return err
}

func writeOptions(ctx context.Context) *api.WriteOptions {
	return new(api.WriteOptions).WithContext(ctx)
}

func waitOptions(ctx context.Context, since uint64, wait time.Duration) *api.QueryOptions {
	return (&api.QueryOptions{WaitIndex: since, WaitTime: wait}).WithContext(ctx)
}
