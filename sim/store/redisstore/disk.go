package redisstore

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Fsync says when an append-only log reaches the disk itself, as Redis'
// appendfsync does.
type Fsync string

// The settings of [Fsync].
const (
	// NoLog: there is no append-only log.
	NoLog Fsync = "no-log"
	// EverySecond: what the log has at each full second.
	EverySecond Fsync = "everysec"
	// Always: before every answer.
	Always Fsync = "always"
)

// disk is what outlives the process of a node.
type disk struct {
	snapshot data
	log      []logged
	kept     data // what is left of the log once the node is down
}

// logged is the data as the log gives it from an instant on.
type logged struct {
	at   kernel.Time
	data data
}

// append writes down what a command has changed.
func (n *Node) append() {
	if n.cfg.Fsync == EverySecond || n.cfg.Fsync == Always {
		n.disk.log = append(n.disk.log, logged{n.net.Kernel().Now(), n.data()})
	}
}

// logUntil is the data as the log had it at an instant.
func (d *disk) logUntil(t kernel.Time) data {
	var out data
	for _, l := range d.log {
		if l.at <= t {
			out = l.data
		}
	}
	return out
}

// Save takes a snapshot, as BGSAVE does, here in no time.
func (n *Node) Save() {
	if n.down {
		return
	}
	n.disk.snapshot = n.data()
	n.rec.Add(trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: "takes a snapshot"})
}

// Kill ends the server's process. Its machine lives on: connections are closed,
// and the operating system still writes out what was handed to it.
func (n *Node) Kill() {
	n.die("dies", n.net.Kernel().Now())
	n.net.BreakAll(n.Name())
	if n.member != nil {
		n.member.hangUp()
	}
}

// Vanish ends the node together with its machine, as a power cut does: nobody
// closes its connections, and what the log has not been synced to is lost.
func (n *Node) Vanish() {
	synced := n.net.Kernel().Now()
	if n.cfg.Fsync != Always {
		synced -= synced % kernel.Time(time.Second)
	}
	n.die("loses power", synced)
	n.lost = true
}

func (n *Node) die(how string, log kernel.Time) {
	if n.down {
		return
	}
	n.down = true
	n.disk.kept = n.disk.logUntil(log)
	n.pushes, n.subs = nil, map[string][]*conn{}
	n.mini.FlushAll()
	n.reborn(trace.Event{Actor: n.Name(), Kind: trace.KindFault, Text: how, State: trace.StateCrashed})
}

// Restart starts a node that is down: with nothing ("empty"), with its last
// "snapshot", or with its append-only "log". The scripts are known to it again at
// once, which with a real server takes one more request each.
func (n *Node) Restart(from string) error {
	var d data
	text := "starts again with "
	switch {
	case !n.down:
		return fmt.Errorf("%s is running and cannot be started", n.Name())
	case from == "log" && n.cfg.Fsync == NoLog:
		return fmt.Errorf("%s keeps no log: the parameter fsync is %s", n.Name(), NoLog)
	case from == "log":
		d, text = n.disk.kept, text+"its log"
	case from == "snapshot":
		d, text = n.disk.snapshot, text+"its last snapshot"
	default:
		text += "nothing"
	}
	n.net.BreakAll(n.Name()) // its machine knows nothing of old connections
	n.down, n.lost = false, false
	n.mini.SetTime(n.proc.Now())
	n.load(d)
	n.disk.log = nil
	n.append()
	n.reborn(trace.Event{Actor: n.Name(), Kind: trace.KindResume, Text: text, State: trace.StateRunning})
	if n.member != nil {
		n.member.resync()
	}
	return nil
}

// reborn records e with all that is now different.
func (n *Node) reborn(e trace.Event) {
	n.changes(&e)
	n.rec.Add(e)
}
