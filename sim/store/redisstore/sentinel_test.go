package redisstore

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
)

func TestOnlyAMajorityOfSentinelsPromotes(t *testing.T) {
	majority := cut([]string{"primary", "s1"}, []string{"replica1", "replica2", "s2", "s3"}, sec, 5*sec)
	minority := cut([]string{"primary", "s1", "s2"}, []string{"replica1", "replica2", "s3"}, sec, 5*sec)
	for name, tc := range map[string]struct {
		partition network.Partition
		follows   bool // the first replica still has its primary at 4 s
	}{
		"two of three": {majority, false}, "one of three": {minority, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newGroup(t, &network.Faults{Partitions: []network.Partition{tc.partition}},
				GroupConfig{Lag: ms, Sentinels: []string{"s1", "s2", "s3"}, DownAfter: 2 * sec})
			c.k.At(kernel.Time(4*sec), func() {
				if got := c.group.members[1].follows != nil; got != tc.follows {
					t.Errorf("replica1 is a replica: %v", got)
				}
			})
			c.run(8 * sec)
		})
	}
}

func TestAfterASplitTheOldPrimaryLosesWhatItHadAlone(t *testing.T) {
	apart := cut([]string{"primary", "s1", "A"}, []string{"replica1", "replica2", "s2", "s3", "B"}, sec, 6*sec)
	c := newGroup(t, &network.Faults{Partitions: []network.Partition{apart}},
		GroupConfig{Lag: ms, Sentinels: []string{"s1", "s2", "s3"}, DownAfter: 2 * sec})
	c.set("A", 4*sec, "A")
	c.set("B", 5*sec, "B")
	c.look(c.nodes[0], 5500*ms, "A")
	c.look(c.nodes[1], 5500*ms, "B")
	c.look(c.nodes[0], 7*sec, "B")
	if c.judge.nodes[0] != c.nodes[0] {
		t.Error("the first primary does not decide at the beginning")
	}
	c.run(8 * sec)
	if c.judge.nodes[0] != c.nodes[1] || c.judge.last["lock"].Owner != "B" {
		t.Errorf("%s decides, and says %q", c.judge.nodes[0].Name(), c.judge.last["lock"].Owner)
	}
	if c.group.members[0].follows != c.group.members[1] {
		t.Error("the old primary is no replica of the new one")
	}
}

func TestClientsFindTheNewPrimary(t *testing.T) {
	c := newGroup(t, &network.Faults{}, GroupConfig{Lag: ms, Sentinels: []string{"s1", "s2", "s3"}, DownAfter: 2 * sec})
	c.k.At(kernel.Time(sec), c.nodes[0].Vanish)
	c.at("A", 0, c.group.Client, func(p *kernel.Process, rdb *redis.Client) {
		if err := rdb.Set(bg, "lock", "A", 0).Err(); err != nil {
			t.Error(err)
		}
		_ = p.Clock().Sleep(bg, 1500*ms)
		// The connection is as dead as the machine, and nobody says so until
		// the sentinels do.
		if err := rdb.Get(bg, "lock").Err(); err == nil {
			t.Error("an answer from a machine that is gone")
		}
		if got := p.Now().Sub(kernel.Epoch); got != 2900*ms && got != 3*sec {
			t.Errorf("the sentinels told at %v", got)
		}
		_ = p.Clock().Sleep(bg, 200*ms) // until all sentinels know
		if v, err := rdb.Get(bg, "lock").Result(); v != "A" || err != nil {
			t.Errorf("from the new primary: %q, %v", v, err)
		}
	})
	c.run(5 * sec)
}

func TestAGroupNeedsAReplica(t *testing.T) {
	c := newCluster(t, &network.Faults{}, NoLog, "primary")
	if _, err := NewGroup(c.nodes, c.judge, GroupConfig{}); err == nil {
		t.Error("no error")
	}
}
