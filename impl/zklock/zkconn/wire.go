package zkconn

import (
	"encoding/binary"
	"net"
	"time"
)

// handshakeLen is how much of the first frame from the server says what the
// session is: the length of the frame, a version, the timeout in milliseconds
// (4 bytes each) and the id (8 bytes).
const handshakeLen = 20

// wire is a connection that reads along when the server answers the client's
// first request. The client agrees there on the session timeout, and tells
// nobody what it has agreed on.
type wire struct {
	net.Conn
	head   []byte
	opened func(Session)
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if missing := handshakeLen - len(w.head); missing > 0 && n > 0 {
		w.head = append(w.head, p[:min(n, missing)]...)
		if len(w.head) == handshakeLen {
			w.opened(Session{
				Timeout: time.Duration(binary.BigEndian.Uint32(w.head[8:])) * time.Millisecond,
				ID:      int64(binary.BigEndian.Uint64(w.head[12:])),
			})
		}
	}
	return n, err
}
