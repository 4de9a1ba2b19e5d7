package redisstore

import (
	"slices"

	"github.com/alicebob/miniredis/v2/proto"
	"github.com/alicebob/miniredis/v2/server"
)

// push is a message of a channel on its way out.
type push struct {
	to               *conn
	channel, payload string
}

// intercept takes the commands of publish and subscribe before miniredis does,
// also those that a script sends, and what the place in a group forbids.
// Everything else is left to miniredis.
func (n *Node) intercept(p *server.Peer, cmd string, args ...string) bool {
	if n.member != nil {
		if why := n.member.refusal(cmd); why != "" {
			n.refused = why
			p.WriteError(why)
			return true
		}
	}
	switch cmd {
	case "PUBLISH":
		if len(args) != 2 {
			return false
		}
		p.WriteInt(n.publish(args[0], args[1]))
	case "SUBSCRIBE", "UNSUBSCRIBE":
		c := n.connOf(p)
		if c == nil {
			return false
		}
		n.subscription(c, cmd, args)
	default:
		return false
	}
	return true
}

// connOf is the connection that is executing a command on peer p.
func (n *Node) connOf(p *server.Peer) *conn {
	if n.executing != nil && n.executing.peer == p {
		return n.executing
	}
	return nil
}

func (n *Node) subscription(c *conn, cmd string, channels []string) {
	for _, ch := range channels {
		verb := "subscribe"
		if cmd == "SUBSCRIBE" {
			if !slices.Contains(n.subs[ch], c) {
				n.subs[ch] = append(n.subs[ch], c)
			}
		} else {
			verb = "unsubscribe"
			n.unsubscribe(c, ch)
		}
		c.peer.Block(func(w *server.Writer) {
			w.WritePushLen(3)
			w.WriteBulk(verb)
			w.WriteBulk(ch)
			w.WriteInt(n.subscriptions(c))
		})
	}
}

func (n *Node) subscriptions(c *conn) int {
	count := 0
	for _, conns := range n.subs {
		if slices.Contains(conns, c) {
			count++
		}
	}
	return count
}

func (n *Node) unsubscribe(c *conn, channel string) {
	n.subs[channel] = slices.DeleteFunc(n.subs[channel], func(o *conn) bool { return o == c })
	if len(n.subs[channel]) == 0 {
		delete(n.subs, channel)
	}
}

func (n *Node) unsubscribeAll(c *conn) {
	for ch := range n.subs {
		n.unsubscribe(c, ch)
	}
}

// publish queues a message for every subscriber; they leave after the answer of
// the command that published it.
func (n *Node) publish(channel, payload string) int {
	for _, c := range n.subs[channel] {
		n.pushes = append(n.pushes, push{c, channel, payload})
	}
	return len(n.subs[channel])
}

func (n *Node) flushPushes() {
	pushes := n.pushes
	n.pushes = nil
	for _, p := range pushes {
		message := []byte(proto.Strings("message", p.channel, p.payload))
		p.to.link.Push("MESSAGE", "message on "+p.channel, func() { p.to.deliver(message) })
	}
}
