package redisstore

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
)

func TestWhatARestartRemembers(t *testing.T) {
	// A is granted the lock at 1.201 s for a minute, the node goes down at 1.9 s.
	for name, tc := range map[string]struct {
		fsync    Fsync
		saved    time.Duration
		powerCut bool
		from     string
		want     string
	}{
		"nothing":                      {NoLog, sec, false, "empty", ""},
		"a snapshot from before":       {NoLog, sec, false, "snapshot", ""},
		"a snapshot from after":        {NoLog, 1500 * ms, false, "snapshot", "A"},
		"a snapshot and a power cut":   {NoLog, 1500 * ms, true, "snapshot", "A"},
		"everysec, the process dies":   {EverySecond, sec, false, "log", "A"},
		"everysec, a power cut":        {EverySecond, sec, true, "log", ""},
		"always, a power cut":          {Always, sec, true, "log", "A"},
		"a log is kept, and not asked": {Always, sec, false, "empty", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, &network.Faults{}, tc.fsync, "redis")
			n := c.nodes[0]
			c.judge.Trust(n)
			c.at("A", 1200*ms, n.Client, func(_ *kernel.Process, rdb *redis.Client) {
				if err := rdb.Set(bg, "lock", "A", time.Minute).Err(); err != nil {
					t.Error(err)
				}
			})
			c.k.At(kernel.Time(tc.saved), n.Save)
			down := n.Kill
			if tc.powerCut {
				down = n.Vanish
			}
			c.k.At(kernel.Time(1900*ms), down)
			c.look(n, 2*sec, "")
			c.k.At(kernel.Time(3*sec), func() {
				if err := n.Restart(tc.from); err != nil {
					t.Error(err)
				}
			})
			c.look(n, 3100*ms, tc.want)
			c.run(4 * sec)
			if tc.want != "" && n.keys["lock"].Expires != int64(61201*ms) {
				t.Errorf("it ends at %v", time.Duration(n.keys["lock"].Expires))
			}
		})
	}
}

func TestWhatExpiresWhileTheNodeIsDownIsGone(t *testing.T) {
	c := newCluster(t, &network.Faults{}, Always, "redis")
	n := c.nodes[0]
	c.at("A", 0, n.Client, func(_ *kernel.Process, rdb *redis.Client) { rdb.Set(bg, "lock", "A", sec) })
	c.k.At(kernel.Time(500*ms), n.Kill)
	c.k.At(kernel.Time(2*sec), func() {
		if err := n.Restart("log"); err != nil {
			t.Error(err)
		}
	})
	c.look(n, 2100*ms, "")
	c.run(3 * sec)
}

func TestRestartsThatCannotBe(t *testing.T) {
	c := newCluster(t, &network.Faults{}, NoLog, "redis")
	n := c.nodes[0]
	if err := n.Restart("empty"); err == nil {
		t.Error("a running node was started")
	}
	c.k.At(kernel.Time(sec), n.Kill)
	c.k.At(kernel.Time(2*sec), func() {
		if err := n.Restart("log"); err == nil {
			t.Error("a log that does not exist was read")
		}
	})
	c.run(3 * sec)
}

func TestADeadProcessRefusesAndADeadMachineIsSilent(t *testing.T) {
	for name, tc := range map[string]struct {
		down    func(*Node)
		refused bool
		took    time.Duration
	}{
		"process": {(*Node).Kill, true, 2 * ms},
		"machine": {(*Node).Vanish, false, sec},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, &network.Faults{}, NoLog, "redis")
			n := c.nodes[0]
			c.k.At(0, func() { tc.down(n) })
			c.at("A", ms, n.Client, func(p *kernel.Process, rdb *redis.Client) {
				ctx, cancel := p.Clock().WithTimeout(bg, sec)
				defer cancel()
				err := rdb.Get(ctx, "lock").Err()
				var op *net.OpError
				if refused := errors.As(err, &op) && op.Op == "dial"; err == nil || refused != tc.refused {
					t.Errorf("error: %v", err)
				}
				if took := p.Now().Sub(kernel.Epoch) - ms; took != tc.took {
					t.Errorf("took %v", took)
				}
			})
			c.run(3 * sec)
		})
	}
}

func TestAMajorityOfNodesDecidesWhoOwnsTheLock(t *testing.T) {
	c := newCluster(t, &network.Faults{}, NoLog, "n1", "n2", "n3")
	c.judge.Trust(c.nodes...)
	owners := map[time.Duration]string{}
	for i, n := range c.nodes {
		d := time.Duration(i+1) * sec
		c.at("A", d, n.Client, func(_ *kernel.Process, rdb *redis.Client) { rdb.Set(bg, "lock", "A", time.Minute) })
		c.k.At(kernel.Time(d+sec/2), func() { owners[d] = c.judge.last["lock"].Owner })
	}
	c.k.At(kernel.Time(4*sec), c.nodes[0].Kill)
	c.k.At(kernel.Time(5*sec), func() { owners[5*sec] = c.judge.last["lock"].Owner; c.nodes[1].Kill() })
	c.run(6 * sec)
	if owners[sec] != "" || owners[2*sec] != "A" || owners[5*sec] != "A" || c.judge.last["lock"].Owner != "" {
		t.Errorf("one of three %q, two %q, one down %q, two down %q",
			owners[sec], owners[2*sec], owners[5*sec], c.judge.last["lock"].Owner)
	}
}

func TestAClockThatDriftsEndsKeysByItsOwnTime(t *testing.T) {
	for _, tc := range []struct {
		rate float64
		want time.Duration
	}{{0.05, 9525 * ms}, {-0.05, 10528 * ms}} {
		c := newCluster(t, &network.Faults{}, NoLog, "redis")
		n := c.nodes[0]
		n.SetDrift(tc.rate)
		c.at("A", 0, n.Client, func(_ *kernel.Process, rdb *redis.Client) { rdb.Set(bg, "lock", "A", 10*sec) })
		c.look(n, tc.want-ms, "A")
		c.look(n, tc.want, "")
		c.run(20 * sec)
	}
}
