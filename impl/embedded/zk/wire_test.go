package zk_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// rawClient writes and reads frames.
type rawClient struct {
	t  *testing.T
	nc net.Conn
}

func rawDial(t *testing.T, srv *zk.Server) *rawClient {
	t.Helper()
	nc, err := srv.Dial("", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return &rawClient{t, nc}
}

// fields are the values of a frame: integers by their size, and strings and
// byte buffers with their length.
func fields(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		switch v := v.(type) {
		case string:
			_ = binary.Write(&b, binary.BigEndian, int32(len(v)))
			b.WriteString(v)
		default:
			_ = binary.Write(&b, binary.BigEndian, v)
		}
	}
	return b.Bytes()
}

func (c *rawClient) send(frame []byte) {
	_, err := c.nc.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	if err != nil {
		c.t.Fatal(err)
	}
}

// receive returns nil when the server has hung up.
func (c *rawClient) receive() []byte {
	var head [4]byte
	if _, err := io.ReadFull(c.nc, head[:]); err != nil {
		return nil
	}
	frame := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(c.nc, frame); err != nil {
		return nil
	}
	return frame
}

func (c *rawClient) connect(extra ...any) []byte {
	c.t.Helper()
	c.send(fields(append([]any{int32(0), int64(0), int32(10_000), int64(0), string(make([]byte, 16))}, extra...)...))
	frame := c.receive()
	if frame == nil {
		c.t.Fatal("the server hung up on a client that introduced itself")
	}
	return frame
}

// ask sends a request with the number 1 and returns code and body of the answer.
func (c *rawClient) ask(op state.Op, values ...any) (state.Code, []byte) {
	c.t.Helper()
	c.send(fields(append([]any{int32(1), int32(op)}, values...)...))
	frame := c.receive()
	if len(frame) < 16 || int32(binary.BigEndian.Uint32(frame)) != 1 {
		c.t.Fatalf("answer %x", frame)
	}
	return state.Code(binary.BigEndian.Uint32(frame[12:])), frame[16:]
}

// world is the list of one entry that lets everybody do everything.
var world = []any{int32(1), int32(31), "world", "anyone"}

func TestRequestsThatTheGoClientDoesNotMake(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		c := rawDial(t, srv)
		c.connect()
		code, body := c.ask(state.OpCreate2, append(append([]any{"/x", "data"}, world...), int32(0))...)
		if code != state.OK || !bytes.HasPrefix(body, fields("/x")) || len(body) != len(fields("/x"))+68 {
			t.Errorf("create2: %v, %x; want the path and a stat of 68 bytes", code, body)
		}
		code, body = c.ask(state.OpGetChildren, "/", false)
		if code != state.OK || !bytes.Equal(body, fields(int32(2), "x", "zookeeper")) {
			t.Errorf("list: %v, %q", code, body)
		}
		for name, op := range map[string]state.Op{"create container": 19, "create TTL": 21, "add watch": 106, "nonsense": 4711} {
			if code, _ := c.ask(op, "/y", "", int32(0), int32(0)); code != state.Unimplemented {
				t.Errorf("%s: %v, want Unimplemented", name, code)
			}
		}
		if code, _ := c.ask(state.OpSetAuth, int32(0), "kerberos", "x"); code != state.AuthFailed {
			t.Errorf("unknown scheme: %v, want AuthFailed", code)
		}
		if frame := c.receive(); frame != nil {
			t.Errorf("after a failed authentication the server says %x, want it to hang up", frame)
		}
	})
}

func TestReadOnlyFlagIsAnsweredWhereItIsSent(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		if got := len(rawDial(t, srv).connect()); got != 36 {
			t.Errorf("without the flag: %d bytes, want 36", got)
		}
		if got := len(rawDial(t, srv).connect(false)); got != 37 {
			t.Errorf("with the flag: %d bytes, want 37", got)
		}
	})
}

func TestServerHangsUpOnWhatItCannotRead(t *testing.T) {
	for name, spoil := range map[string]func(c *rawClient){
		"garbage before the session": func(c *rawClient) { _, _ = c.nc.Write([]byte("GET / HTTP/1.1\r\n")) },
		"half an introduction":       func(c *rawClient) { c.send(fields(int32(0), int64(0))) },
		"frame of 4 GB": func(c *rawClient) {
			c.connect()
			_, _ = c.nc.Write([]byte{0xff, 0xff, 0xff, 0xff})
		},
		"request without a kind": func(c *rawClient) {
			c.connect()
			c.send(fields(int32(1)))
		},
		"path longer than the frame": func(c *rawClient) {
			c.connect()
			c.send(fields(int32(1), int32(state.OpGetData), int32(1<<20)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
				c := rawDial(t, srv)
				spoil(c)
				if frame := c.receive(); frame != nil {
					t.Errorf("the server says %x, want it to hang up", frame)
				}
				rawDial(t, srv).connect() // and serves others
			})
		})
	}
}

func TestWrongPasswordIsAnsweredWithoutASession(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		rawDial(t, srv).connect()
		id := srv.Machine().Sessions()[0].ID
		c := rawDial(t, srv)
		c.send(fields(int32(0), int64(0), int32(10_000), id, "0123456789abcdef"))
		frame := c.receive()
		if len(frame) != 36 || binary.BigEndian.Uint64(frame[8:]) != 0 {
			t.Errorf("answer %x, want one of session 0", frame)
		}
		if c.receive() != nil {
			t.Error("the server goes on with a client that it refused")
		}
	})
}

// A client that does not read must not keep the server from anything.
func TestClientThatDoesNotRead(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		deaf := rawDial(t, srv)
		deaf.connect()
		for range 100 {
			deaf.send(fields(int32(1), int32(state.OpGetChildren2), "/", true))
		}
		c := rawDial(t, srv)
		c.connect()
		if code, _ := c.ask(state.OpSync, "/"); code != state.OK {
			t.Errorf("another client: %v", code)
		}
	})
}

func TestFrameInPieces(t *testing.T) {
	inBubble(t, zk.Options{}, func(t *testing.T, srv *zk.Server) {
		c := rawDial(t, srv)
		c.connect()
		frame := fields(int32(8), int32(1), int32(state.OpPing))
		for _, b := range frame {
			if _, err := c.nc.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if len(c.receive()) != 16 {
			t.Error("no answer to a ping in pieces")
		}
	})
}

func TestStartAndCloseAreQuickAndLeaveNothing(t *testing.T) {
	const starts = 20
	begin := time.Now()
	for range starts {
		srv, err := zk.Listen(zk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if srv.Addr() == "" || srv.URL() != "zk://"+srv.Addr() {
			t.Errorf("address %q, URL %q", srv.Addr(), srv.URL())
		}
		if err := srv.Close(); err != nil {
			t.Fatal(err)
		}
		if err := srv.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
		if err := srv.Restart(); err == nil {
			t.Error("a closed server was restarted")
		}
	}
	if each := time.Since(begin) / starts; each > 50*time.Millisecond {
		t.Errorf("start and close take %v, the limit is 50ms", each)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := zk.InMemory(zk.Options{})
		c := rawDial(t, srv)
		c.connect()
		deaf := rawDial(t, srv)
		deaf.connect()
		deaf.send(fields(int32(1), int32(state.OpPing)))
		if err := srv.Close(); err != nil {
			t.Fatal(err)
		}
		if c.receive() != nil {
			t.Error("the closed server still talks")
		}
		if _, err := srv.Dial("", "", 0); err == nil {
			t.Error("the closed server takes connections")
		}
	})
}
