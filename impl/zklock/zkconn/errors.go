package zkconn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"
)

// answers are the errors of the client that a server has sent. Any other one
// means that no answer came.
var answers = map[error]error{
	zk.ErrNoNode:                  ErrNoNode,
	zk.ErrNodeExists:              ErrNodeExists,
	zk.ErrNotEmpty:                ErrNotEmpty,
	zk.ErrSessionExpired:          ErrSessionExpired,
	zk.ErrAPIError:                ErrRefused,
	zk.ErrNoAuth:                  ErrRefused,
	zk.ErrBadVersion:              ErrRefused,
	zk.ErrNoChildrenForEphemerals: ErrRefused,
	zk.ErrInvalidACL:              ErrRefused,
	zk.ErrInvalidPath:             ErrRefused,
	zk.ErrAuthFailed:              ErrRefused,
	zk.ErrBadArguments:            ErrRefused,
}

// unknownAnswer is how the client begins the text of an error code that it does
// not know; it has no value for them.
const unknownAnswer = "unknown error: "

// translate turns an error of the client into one of this package.
func (c *Client) translate(op, path string, err error) error {
	switch err {
	case nil:
		return nil
	case context.Canceled, context.DeadlineExceeded:
		// of call, which has left the request to itself
		return fmt.Errorf("%s %s: %w", op, path, err)
	}
	return fmt.Errorf("%s %s: %w: %w", op, path, c.kind(err), err)
}

func (c *Client) kind(err error) error {
	for answer, ours := range answers {
		if errors.Is(err, answer) {
			return ours
		}
	}
	switch {
	case c.isClosed():
		return ErrClosed
	case strings.HasPrefix(err.Error(), unknownAnswer):
		return ErrRefused
	}
	return ErrDisconnected
}
