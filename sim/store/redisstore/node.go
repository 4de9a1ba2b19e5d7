// Package redisstore puts Redis behind the simulated network and on the virtual
// clock: unmodified go-redis clients talk to a miniredis server over an
// in-memory connection, and every command travels as a message of sim/network.
//
// What belongs here: the connection, publish and subscribe (miniredis delivers
// messages from goroutines of its own, which a deterministic run cannot have),
// expiry at its exact virtual time, and what changed in the store. What does
// not: lock code, and anything that miniredis does already.
package redisstore

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Node is one Redis server with its own clock.
type Node struct {
	proc   *kernel.Process
	rec    *record.Recorder
	net    *network.Network
	mini   *miniredis.Miniredis
	cfg    Config
	keys   map[string]trace.KeyChange // as last recorded
	expiry *kernel.Event
	subs   map[string][]*conn // by channel, in order of subscription
	pushes []push             // published by the command that is executing

	executing *conn // whose command miniredis is executing
	conns     []*conn
	down      bool
	lost      bool // down together with its machine
	disk      disk
	member    *member // of a group with replicas, if it is in one
	refused   string  // why a part of the executing command was not carried out
}

// Config is what a node needs to know to explain itself.
type Config struct {
	// Lock is the key whose value names the owner.
	Lock string
	// Owner maps the identity of a grant to the client that made it.
	Owner func(grant string) (client string)
	// Scripts are the Lua scripts by SHA, for readable commands.
	Scripts map[string]Script
	// Judge decides who owns the lock, over all nodes that share it. Nil means
	// that this node alone does.
	Judge *Judge
	// Fsync is that of the append-only log. Empty means [NoLog].
	Fsync Fsync
}

// Script is a Lua script of impl/.
type Script struct {
	Name string // release.lua
	File string // impl/redislock/release.lua
	Line int    // the first line of code in it
}

// New starts a node. It must be closed.
func New(proc *kernel.Process, net *network.Network, rec *record.Recorder, cfg Config) (*Node, error) {
	n := &Node{
		proc: proc, net: net, rec: rec, cfg: cfg,
		mini: miniredis.NewMiniRedis(),
		keys: map[string]trace.KeyChange{}, subs: map[string][]*conn{},
	}
	if n.cfg.Judge == nil {
		n.cfg.Judge = NewJudge(cfg.Owner, cfg.Lock)
		n.cfg.Judge.Trust(n)
	}
	if n.cfg.Fsync == "" {
		n.cfg.Fsync = NoLog
	}
	// Dialling is how miniredis starts without a listener; the connection
	// itself is not needed.
	c, err := n.mini.Dial()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", proc.Name(), err)
	}
	if err := c.Close(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", proc.Name(), err)
	}
	n.mini.Server().SetPreHook(n.intercept)
	n.mini.SetTime(proc.Now())
	n.mini.ClockTTL(true)
	return n, nil
}

// Close stops the server.
func (n *Node) Close() { n.mini.Close() }

// Name is the name of the node's process, which is its lane in the timeline.
func (n *Node) Name() string { return n.proc.Name() }

// TTL is the remaining time to live of the lock key: ok is false if the key does
// not exist, and 0 means that it does not expire.
func (n *Node) TTL() (left time.Duration, ok bool) {
	n.mini.SetTime(n.proc.Now())
	return n.mini.TTL(n.cfg.Lock), n.mini.Exists(n.cfg.Lock)
}

// SetOffset sets by how much the clock of the node is ahead from the start.
func (n *Node) SetOffset(d time.Duration) {
	n.proc.SetOffset(d)
	n.mini.SetTime(n.proc.Now())
	n.mini.ClockTTL(true) // counts from the new time on
}

// SetDrift makes the clock of the node gain rate seconds per second from the
// start; a negative rate loses.
func (n *Node) SetDrift(rate float64) { n.proc.SetDrift(rate) }

// Jump moves the clock of the node. Keys whose time is over by the new clock
// end at once.
func (n *Node) Jump(d time.Duration) {
	n.proc.Jump(d)
	n.rec.Add(trace.Event{
		Actor: n.Name(), Kind: trace.KindFault, Text: fmt.Sprintf("its clock jumps by %s", trace.Instant(int64(d))),
	})
	n.tick()
}

// execute runs one command that has arrived and sends the answer.
func (n *Node) execute(c *conn, args []string, req *network.Request) {
	if n.down {
		n.rec.Add(trace.Event{
			Actor: c.link.Client().Name(), Kind: trace.KindLost, Text: "the request is lost", Peer: n.Name(), Msg: req.ID,
		})
		return
	}
	n.tick()
	if n.isWait(args) {
		n.member.wait(c, args, req)
		return
	}
	reply := n.dispatch(c, args)
	e := trace.Event{
		Actor: n.Name(), Kind: trace.KindExec, Text: req.Text, Reply: describeReply(reply),
		Peer: c.link.Client().Name(), Msg: req.ID, Source: n.scriptSource(args),
	}
	n.changes(&e)
	n.rec.Add(e)
	n.passOn(c, e.Changes)
	c.link.Answer(req, e.Reply, func() { c.deliver(reply) })
	n.flushPushes()
}

// passOn writes changes to the log and sends them to the replicas.
func (n *Node) passOn(c *conn, changes []trace.KeyChange) {
	if len(changes) > 0 {
		n.append()
	}
	if n.member == nil {
		return
	}
	if len(changes) > 0 {
		n.member.wrote(changes)
	}
	c.written = n.member.written
}

// dispatch hands a command to miniredis, synchronously.
func (n *Node) dispatch(c *conn, args []string) []byte {
	n.mini.SetTime(n.proc.Now())
	c.reply.Reset()
	n.executing, n.refused = c, ""
	n.mini.Server().Dispatch(c.peer, args)
	n.executing = nil
	c.peer.Flush()
	if n.refused != "" && bytes.HasPrefix(c.reply.Bytes(), []byte("-")) {
		// miniredis wraps the error that stops a script; Redis keeps its code.
		return []byte("-" + n.refused + "\r\n")
	}
	return bytes.Clone(c.reply.Bytes())
}

func (n *Node) scriptSource(args []string) trace.Source {
	if s, ok := n.script(args); ok {
		return trace.Source{File: s.File, Line: s.Line}
	}
	return trace.Source{}
}

func (n *Node) script(args []string) (Script, bool) {
	if len(args) < 2 {
		return Script{}, false
	}
	switch strings.ToUpper(args[0]) {
	case "EVALSHA":
		s, ok := n.cfg.Scripts[args[1]]
		return s, ok
	case "EVAL":
		s, ok := n.cfg.Scripts[sha1Hex(args[1])]
		return s, ok
	}
	return Script{}, false
}

// newPeer is miniredis' side of a connection.
func newPeer(reply *bytes.Buffer) *server.Peer {
	return server.NewPeer(bufio.NewWriter(reply))
}
