package runner

import (
	"strings"
	"testing"
)

// etcdHead begins a scenario on etcd; its variant is called v.
const etcdHead = `title test
store etcd
lock lock:x
resource r=7
param ttl=9s
`

func TestWhatEtcdCannotDoIsExplained(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"renewal turned off": {
			etcdHead + "param renew=off\nvariant v expect no-violation\nclient A: acquire; release\nexpect A.acquire = ok\n",
			"always renew",
		},
		"a key of etcd where there is none": {
			"title test\nstore redis\nlock lock:x\nresource r=0\nparam resource=etcd\nvariant v expect no-violation\nclient A: acquire; release\nexpect A.acquire = ok\n",
			"keeps no resources",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Run(t.Context(), parse(t, tc.text), "v", Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestAResourceInEtcdIsAKeyBesideTheLock(t *testing.T) {
	for _, guard := range []string{"etcd", "etcd-guarded"} {
		sc := parse(t, etcdHead+"param resource="+guard+`
variant v expect no-violation
client A: acquire; write r=8; release
expect A.write = ok
expect value r at 0s = 7
expect value r at end = 8
`)
		r, err := Run(t.Context(), sc, "v", Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Expects {
			if o.Status != Met {
				t.Errorf("%s: %s: %s, got %s", guard, o.Text, o.Status, o.Got)
			}
		}
		for _, a := range r.Trace.Header().Actors {
			if a.Name == "r" {
				t.Error("the resource has a lane, although it is a key of etcd")
			}
		}
	}
}
