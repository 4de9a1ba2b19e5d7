package check

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// onlyOwnerReleases watches the owner in the store. An owner may go because a
// client's request took the lock away or because its time ran out; the request
// must have come from the owner.
type onlyOwnerReleases struct {
	base
	lock string
	last trace.Truth
}

func newOnlyOwnerReleases(s Setup) Invariant {
	return &onlyOwnerReleases{base: base{"only-owner-releases"}, lock: s.Lock}
}

func (o *onlyOwnerReleases) Check(w *trace.World, e *trace.Event) string {
	before := o.last
	o.last = w.Truth[o.lock]
	if e.Kind != trace.KindExec || before.Owner == "" || before == o.last || e.Peer == before.Owner {
		return ""
	}
	return fmt.Sprintf("%s took %s away from %s with %s", e.Peer, o.lock, before.Owner, e.Text)
}

// onlyOwnerRenews watches the expiry of the lock in the store.
type onlyOwnerRenews struct {
	base
	lock    string
	expires int64
	grant   string
}

func newOnlyOwnerRenews(s Setup) Invariant {
	return &onlyOwnerRenews{base: base{"only-owner-renews"}, lock: s.Lock}
}

func (o *onlyOwnerRenews) Check(w *trace.World, e *trace.Event) string {
	t := w.Truth[o.lock]
	for _, c := range e.Changes {
		if c.Key != o.lock || c.Deleted {
			continue
		}
		same := t.Grant != "" && t.Grant == o.grant
		longer := c.Expires > o.expires
		o.expires, o.grant = c.Expires, t.Grant
		if same && longer && e.Kind == trace.KindExec && e.Peer != t.Owner {
			return fmt.Sprintf("%s prolonged the lock of %s with %s", e.Peer, t.Owner, e.Text)
		}
	}
	return ""
}

// eventualRelease watches for locks whose holder is gone.
type eventualRelease struct {
	base
	lock     string
	bound    time.Duration
	since    map[string]int64 // when each client was seen to be gone
	reported trace.Truth
}

func newEventualRelease(s Setup) Invariant {
	return &eventualRelease{base: base{"eventual-release"}, lock: s.Lock, bound: s.Bound, since: map[string]int64{}}
}

func (r *eventualRelease) Check(w *trace.World, e *trace.Event) string {
	if gone(e.State) {
		if _, known := r.since[e.Actor]; !known {
			r.since[e.Actor] = e.At
		}
	}
	return r.Overdue(w, e.At)
}

func (r *eventualRelease) Bound() time.Duration { return r.bound }

func (r *eventualRelease) Overdue(w *trace.World, now int64) string {
	t := w.Truth[r.lock]
	since, isGone := r.since[t.Owner]
	if !isGone || t == r.reported || now-since < int64(r.bound) {
		return ""
	}
	r.reported = t
	return fmt.Sprintf("%s is still taken by %s, which has been gone for %s", r.lock, t.Owner, trace.Instant(now-since))
}

// nothingLeftBehind looks at the end of a run that came to rest.
type nothingLeftBehind struct {
	base
	lock string
}

func newNothingLeftBehind(s Setup) Invariant {
	return &nothingLeftBehind{base: base{"nothing-left-behind"}, lock: s.Lock}
}

func (*nothingLeftBehind) Check(*trace.World, *trace.Event) string { return "" }

func (n *nothingLeftBehind) Finish(w *trace.World, orderly bool) string {
	if t := w.Truth[n.lock]; orderly && t.Owner != "" {
		return fmt.Sprintf("%s still belongs to %s", n.lock, t.Owner)
	}
	return ""
}
