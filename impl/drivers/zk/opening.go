package zk

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// opening closes the connections of a client whose opening has failed. The
// client itself waits on a server that accepts a connection and says nothing for
// several session timeouts, and its Close waits for that.
type opening struct {
	ctx  context.Context
	done atomic.Bool
}

func (o *opening) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, address, timeout)
	if err != nil || o.done.Load() {
		return conn, err
	}
	context.AfterFunc(o.ctx, func() {
		if !o.done.Load() {
			_ = conn.Close() // nobody is left to whom its failure could matter
		}
	})
	return conn, nil
}
