package zk

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/jute"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// maxFrame is the default of jute.maxbuffer, in bytes.
const maxFrame = 0xfffff

var errFrameSize = errors.New("embedded zookeeper: frame length out of range")

// conn is one connection. One goroutine reads and carries out requests, another
// writes; the machine puts answers and events between them in their order.
type conn struct {
	srv     *Server
	nc      net.Conn
	session int64 // set before any event can come

	mu      sync.Mutex
	out     []byte // frames to be written
	ending  bool   // close once out is written
	muted   bool   // see mute
	changed *sync.Cond
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, nc: nc}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *conn) run() {
	var writing sync.WaitGroup
	writing.Go(c.write)
	_ = c.read() // the client has gone, or is made to go
	if c.session != 0 {
		c.srv.machine.Disconnect(c.session, c)
	}
	c.finish()
	writing.Wait()
}

// read serves the client until it hangs up or sends what cannot be read. Then
// no answer is due: the real server closes the connection too.
func (c *conn) read() error {
	frame, err := c.readFrame()
	if err != nil {
		return err
	}
	if err := c.connect(frame); err != nil || c.session == 0 {
		return err
	}
	for {
		frame, err := c.readFrame()
		if err != nil {
			return err
		}
		xid, req, err := jute.ReadRequest(frame)
		if err != nil {
			return err
		}
		if over := c.serve(xid, req); over {
			return nil
		}
	}
}

func (c *conn) connect(frame []byte) error {
	req, err := jute.ReadConnect(frame)
	if err != nil {
		return err
	}
	resp, err := c.srv.machine.Connect(req.ConnectRequest, c)
	if err != nil {
		return err
	}
	c.session = resp.Session
	c.send(func(b []byte) []byte { return jute.AppendConnected(b, resp, req.ReadOnly) })
	return nil
}

// serve carries out one request, or what a fault makes of it. It reports
// whether the connection is over.
func (c *conn) serve(xid int32, req state.Request) (over bool) {
	switch c.srv.faultFor(c.session, req) {
	case CutBefore:
		c.HangUp()
		return true
	case CutAfter:
		c.srv.count(req.Op)
		c.srv.machine.Do(c.session, c, req, func(state.Response) { c.HangUp() })
		return true
	}
	if c.isMuted() {
		return false
	}
	c.srv.count(req.Op)
	c.srv.machine.Do(c.session, c, req, func(r state.Response) {
		over = req.Op == state.OpCloseSession || r.Code == state.AuthFailed || r.Code == state.SessionExpired
		c.send(func(b []byte) []byte { return jute.AppendResponse(b, xid, r) })
	})
	return over
}

// Event implements state.Link.
func (c *conn) Event(e state.Event) {
	c.send(func(b []byte) []byte { return jute.AppendEvent(b, e) })
}

// HangUp implements state.Link. What was not written yet is lost.
func (c *conn) HangUp() { _ = c.nc.Close() }

// send queues one frame, whose content body appends. It does not block.
func (c *conn) send(body func([]byte) []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.muted || c.ending {
		return
	}
	start := len(c.out)
	c.out = body(append(c.out, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(c.out[start:], uint32(len(c.out)-start-4))
	c.changed.Signal()
}

// finish closes the connection when everything queued is written.
func (c *conn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	c.changed.Signal()
}

// mute makes the connection silent, as a network that drops every packet: it
// stays open, and nothing passes in either direction.
func (c *conn) mute() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.muted = true
}

func (c *conn) isMuted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.muted
}

func (c *conn) write() {
	defer c.nc.Close()
	var batch []byte
	for {
		c.mu.Lock()
		for len(c.out) == 0 && !c.ending {
			c.changed.Wait()
		}
		batch, c.out = c.out, batch[:0]
		c.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		if _, err := c.nc.Write(batch); err != nil {
			return // the reader notices as well and ends the connection
		}
	}
}

func (c *conn) readFrame() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.nc, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, errFrameSize
	}
	frame := make([]byte, n)
	_, err := io.ReadFull(c.nc, frame)
	return frame, err
}
