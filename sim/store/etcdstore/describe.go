package etcdstore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// command is the name by which faults and counters find a transaction: that of
// its operation, where it is one without a condition.
func command(txn etcdlock.Txn) string {
	if len(txn.If) == 0 && len(txn.Then) == 1 {
		return verbs[txn.Then[0].Kind]
	}
	return "TXN"
}

var verbs = map[etcdlock.OpKind]string{
	etcdlock.OpPut: "PUT", etcdlock.OpDelete: "DELETE", etcdlock.OpGet: "GET", etcdlock.OpNewest: "NEWEST",
}

// describe is a transaction in one line; KEY@N is a key that was created at
// revision N. What it does where its condition does
// not hold is left out: that only reads.
func describe(txn etcdlock.Txn) string {
	var about string // the key that the condition is about, which need not be repeated
	text := ""
	if command(txn) == "TXN" {
		text = "TXN "
	}
	for _, c := range txn.If {
		about = c.Key
		text += condition(c) + " "
	}
	var parts []string
	for _, o := range txn.Then {
		parts = append(parts, operation(o, about))
	}
	return strings.TrimSpace(text + strings.Join(parts, ", "))
}

func condition(c etcdlock.Compare) string {
	key := c.Key
	if c.Prefix {
		key += "*"
	}
	if c.CreateRevision == 0 {
		return "if no " + key + ":"
	}
	return fmt.Sprintf("if %s@%d:", key, c.CreateRevision)
}

func operation(o etcdlock.Op, about string) string {
	words := []string{verbs[o.Kind]}
	if o.Limit > 0 {
		words = append(words, strconv.Itoa(o.Limit))
	}
	switch {
	case o.Kind == etcdlock.OpNewest:
		words = append(words, o.Key+"*")
	case o.Key != about:
		words = append(words, o.Key)
	}
	if o.Kind == etcdlock.OpPut {
		words = append(words, o.Value)
	}
	if o.Lease != 0 {
		words = append(words, "with "+leaseName(o.Lease))
	}
	if o.MaxCreateRevision > 0 {
		words = append(words, fmt.Sprintf("up to %d", o.MaxCreateRevision))
	}
	return strings.Join(words, " ")
}

// outcome is the answer to a transaction in a few words. before is the revision
// of the store before it.
func outcome(txn etcdlock.Txn, res etcdlock.Result, before int64) string {
	var parts []string
	switch {
	case len(txn.If) > 0 && res.Succeeded:
		parts = append(parts, fmt.Sprintf("done at %d", res.Revision))
	case len(txn.If) > 0:
		parts = append(parts, "refused")
	case command(txn) == "DELETE":
		return strconv.FormatInt(res.Revision-before, 10)
	case res.Revision > before:
		parts = append(parts, fmt.Sprintf("done at %d", res.Revision))
	}
	read := false
	for i, kvs := range res.Read {
		if ops := chosen(txn, res); ops[i].Kind == etcdlock.OpGet || ops[i].Kind == etcdlock.OpNewest {
			read = true
			parts = append(parts, entries(kvs)...)
		}
	}
	if read && len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func chosen(txn etcdlock.Txn, res etcdlock.Result) []etcdlock.Op {
	if res.Succeeded {
		return txn.Then
	}
	return txn.Else
}

func entries(kvs []etcdlock.KV) []string {
	var out []string
	for _, kv := range kvs {
		out = append(out, fmt.Sprintf("%s@%d", kv.Value, kv.CreateRevision))
	}
	return out
}

func leaseName(id etcdlock.LeaseID) string { return "lease " + strconv.FormatInt(int64(id), 16) }
