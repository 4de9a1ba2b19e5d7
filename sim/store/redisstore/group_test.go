package redisstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// cluster is several nodes and their clients.
type cluster struct {
	t     *testing.T
	k     *kernel.Kernel
	rec   *record.Recorder
	net   *network.Network
	judge *Judge
	nodes []*Node
	group *Group
}

// newCluster starts the named nodes, each on its own.
func newCluster(t *testing.T, faults *network.Faults, fsync Fsync, names ...string) *cluster {
	t.Helper()
	k := kernel.New(1, kernel.Limits{})
	header := trace.Header{}
	for _, name := range names {
		header.Actors = append(header.Actors, trace.Actor{Name: name, Role: trace.RoleStore})
	}
	rec := record.New(k, header, nil)
	same := func(grant string) string { return grant }
	c := &cluster{t: t, k: k, rec: rec, net: network.New(k, rec, ms, faults), judge: NewJudge(same, "lock")}
	for _, name := range names {
		n, err := New(k.NewProcess(name), c.net, rec, Config{Lock: "lock", Owner: same, Judge: c.judge, Fsync: fsync})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		c.nodes = append(c.nodes, n)
	}
	t.Cleanup(k.Close)
	return c
}

// newGroup starts a primary with two replicas.
func newGroup(t *testing.T, faults *network.Faults, cfg GroupConfig) *cluster {
	t.Helper()
	c := newCluster(t, faults, NoLog, "primary", "replica1", "replica2")
	g, err := NewGroup(c.nodes, c.judge, cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.group = g
	return c
}

// at runs f as a client that is called name, at an instant.
func (c *cluster) at(name string, d time.Duration, connect func(*kernel.Process) *redis.Client, f func(p *kernel.Process, rdb *redis.Client)) {
	p := c.k.NewProcess(name)
	rdb := connect(p)
	c.t.Cleanup(func() { _ = rdb.Close() })
	p.Go("main", func() {
		_ = p.Clock().Sleep(bg, d)
		f(p, rdb)
	})
}

// run runs for a time: a group never comes to rest by itself.
func (c *cluster) run(d time.Duration) {
	c.t.Helper()
	c.k.At(kernel.Time(d), c.k.Stop)
	if err := c.k.Run(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// look notes what a node has under the key lock at an instant.
func (c *cluster) look(n *Node, d time.Duration, want string) {
	c.k.At(kernel.Time(d), func() {
		got, ok := n.keys["lock"]
		if got.Value != want || ok != (want != "") {
			c.t.Errorf("%s at %v has %q, want %q", n.Name(), d, got.Value, want)
		}
	})
}

func (c *cluster) set(name string, d time.Duration, value string) {
	c.at(name, d, c.group.Client, func(_ *kernel.Process, rdb *redis.Client) {
		if err := rdb.Set(bg, "lock", value, time.Minute).Err(); err != nil {
			c.t.Errorf("%s sets %s: %v", name, value, err)
		}
	})
}

func cut(a, b []string, from, until time.Duration) network.Partition {
	return network.Partition{A: a, B: b, From: from, Until: until}
}

func TestAReplicaCopiesAfterTheLag(t *testing.T) {
	c := newGroup(t, &network.Faults{}, GroupConfig{Lag: 100 * ms})
	c.set("A", 0, "A")
	c.look(c.nodes[1], 100*ms, "")
	c.look(c.nodes[1], 102*ms, "A")
	c.run(sec)
	if got := c.nodes[1].keys["lock"].Expires; got != int64(time.Minute+ms) {
		t.Errorf("the copy ends at %v", time.Duration(got))
	}
}

func TestWhatWasNotCopiedDiesWithThePrimary(t *testing.T) {
	c := newGroup(t, &network.Faults{}, GroupConfig{Lag: 100 * ms})
	c.set("A", 0, "A")
	c.k.At(kernel.Time(50*ms), c.nodes[0].Kill)
	c.look(c.nodes[0], 60*ms, "")
	c.look(c.nodes[1], sec/2, "")
	c.run(sec)
}

func TestAReplicaThatMissedSomethingCopiesEverything(t *testing.T) {
	c := newGroup(t, &network.Faults{Partitions: []network.Partition{cut([]string{"primary"}, []string{"replica1"}, 0, 1500*ms)}},
		GroupConfig{Lag: 10 * ms})
	c.set("A", 0, "A")
	c.look(c.nodes[2], 20*ms, "A")
	c.look(c.nodes[1], 1900*ms, "")
	c.look(c.nodes[1], 2100*ms, "A") // with the heartbeat at 2 s
	c.run(3 * sec)
}

func TestAReplicaRefusesWrites(t *testing.T) {
	c := newGroup(t, &network.Faults{}, GroupConfig{Lag: ms})
	c.at("A", 0, c.nodes[1].Client, func(_ *kernel.Process, rdb *redis.Client) {
		for name, err := range map[string]error{
			"SET":    rdb.Set(bg, "lock", "A", 0).Err(),
			"script": rdb.Eval(bg, `return redis.call("SET", KEYS[1], "A")`, []string{"lock"}).Err(),
		} {
			if !redis.HasErrorPrefix(err, "READONLY") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := rdb.Get(bg, "lock").Err(); err != redis.Nil {
			t.Errorf("GET: %v", err)
		}
	})
	c.run(sec)
}

func TestMinReplicas(t *testing.T) {
	away := []string{"replica1", "replica2"}
	for name, tc := range map[string]struct {
		partitions []network.Partition
		kill       bool
		at         time.Duration
		refused    bool
	}{
		"all is well":                        {at: 20 * sec},
		"cut off for less than the max lag":  {partitions: []network.Partition{cut([]string{"primary"}, away, 1500*ms, time.Hour)}, at: 10900 * ms},
		"cut off for longer":                 {partitions: []network.Partition{cut([]string{"primary"}, away, 1500*ms, time.Hour)}, at: 11100 * ms, refused: true},
		"the connections to both are closed": {kill: true, at: 1600 * ms, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newGroup(t, &network.Faults{Partitions: tc.partitions}, GroupConfig{Lag: ms, MinReplicas: 1, MaxLag: 10 * sec})
			if tc.kill {
				c.k.At(kernel.Time(1500*ms), c.nodes[1].Kill)
				c.k.At(kernel.Time(1500*ms), c.nodes[2].Kill)
			}
			c.at("A", tc.at, c.group.Client, func(_ *kernel.Process, rdb *redis.Client) {
				err := rdb.Set(bg, "lock", "A", 0).Err()
				if redis.HasErrorPrefix(err, "NOREPLICAS") != tc.refused || !tc.refused && err != nil {
					t.Errorf("SET: %v", err)
				}
			})
			c.run(30 * sec)
		})
	}
}

func TestWait(t *testing.T) {
	for _, tc := range []struct {
		replicas, millis int
		want             int64
		took             time.Duration
	}{
		{0, 1000, 0, 2 * ms},
		{1, 1000, 1, 13 * ms}, // its own way, the lag of 10 ms, the acknowledgement
		{2, 50, 1, 52 * ms},   // the other one is cut off
	} {
		t.Run(fmt.Sprint(tc.replicas), func(t *testing.T) {
			c := newGroup(t, &network.Faults{Partitions: []network.Partition{cut([]string{"primary"}, []string{"replica2"}, 0, time.Hour)}},
				GroupConfig{Lag: 10 * ms})
			c.at("A", 0, c.group.Client, func(p *kernel.Process, rdb *redis.Client) {
				cmds, err := rdb.Pipelined(bg, func(pipe redis.Pipeliner) error {
					pipe.Set(bg, "lock", "A", 0)
					pipe.Do(bg, "WAIT", tc.replicas, tc.millis)
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := cmds[1].(*redis.Cmd).Int64(); got != tc.want || err != nil {
					t.Errorf("WAIT: %d, %v", got, err)
				}
				if took := p.Now().Sub(kernel.Epoch); took != tc.took {
					t.Errorf("took %v", took)
				}
			})
			c.run(sec)
		})
	}
}
