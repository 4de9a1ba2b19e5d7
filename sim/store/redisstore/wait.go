package redisstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// waiting is a client's WAIT that has not been answered.
type waiting struct {
	conn     *conn
	req      *network.Request
	write    int // of the primary, that the client has seen
	replicas int
}

// isWait reports whether a command is a WAIT that replicas have to answer.
// miniredis, which has none, answers it with 0 at once.
func (n *Node) isWait(args []string) bool {
	return n.member != nil && len(args) == 3 && strings.EqualFold(args[0], "WAIT")
}

// wait takes WAIT replicas timeout, in milliseconds, where 0 is no limit.
func (m *member) wait(c *conn, args []string, req *network.Request) {
	replicas, err := strconv.Atoi(args[1])
	millis, err2 := strconv.Atoi(args[2])
	if err != nil || err2 != nil || replicas < 0 || millis < 0 {
		m.answer(c, req, "-ERR value is not an integer or out of range\r\n")
		return
	}
	w := &waiting{conn: c, req: req, write: c.written, replicas: replicas}
	m.waits = append(m.waits, w)
	m.answerWaits()
	if millis > 0 {
		m.group.k.After(time.Duration(millis)*time.Millisecond, func() { m.end(w) })
	}
}

// reached counts the replicas that have acknowledged a write.
func (m *member) reached(write int) int {
	count := 0
	for _, r := range m.replicas() {
		if r.acked >= write {
			count++
		}
	}
	return count
}

// answerWaits answers those that have what they wait for.
func (m *member) answerWaits() {
	for _, w := range slices.Clone(m.waits) {
		if m.reached(w.write) >= w.replicas {
			m.end(w)
		}
	}
}

// end answers a WAIT that is still open with what has been reached.
func (m *member) end(w *waiting) {
	i := slices.Index(m.waits, w)
	if i < 0 || m.down {
		return
	}
	m.waits = slices.Delete(m.waits, i, i+1)
	m.answer(w.conn, w.req, fmt.Sprintf(":%d\r\n", m.reached(w.write)))
}

func (m *member) answer(c *conn, req *network.Request, reply string) {
	e := trace.Event{
		Actor: m.Name(), Kind: trace.KindExec, Text: req.Text, Reply: describeReply([]byte(reply)),
		Peer: c.link.Client().Name(), Msg: req.ID,
	}
	m.rec.Add(e)
	c.link.Answer(req, e.Reply, func() { c.deliver([]byte(reply)) })
}
