package etcdlock

import (
	"strconv"
	"strings"
)

// queuePrefix is what the keys of one lock's queue begin with.
func queuePrefix(name string) string { return name + "/" }

// entryKey is the key of one grant: that of etcd's concurrency.Mutex, made
// unique to the grant by its owner.
func entryKey(name string, id LeaseID, owner string) string {
	return queuePrefix(name) + leaseName(id) + "-" + owner
}

// isEntry reports whether kv is a place in the queue under prefix: its name
// begins with the lease that it is bound to, as ours do and those of etcd's own
// concurrency.Mutex. A key that somebody put there for another purpose, or one
// that belongs to a lock whose name begins with prefix, is not.
func isEntry(prefix string, kv KV) bool {
	if kv.Lease == 0 {
		return false
	}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(kv.Key, prefix), leaseName(kv.Lease))
	return ok && (rest == "" || rest[0] == '-')
}

// leaseName writes a lease as etcd's tools do.
func leaseName(id LeaseID) string { return strconv.FormatInt(int64(id), 16) }
