package state

import "fmt"

// Code is the outcome of a request as the protocol numbers it: zero or negative
// (https://zookeeper.apache.org/doc/r3.8.0/apidocs/zookeeper-server/org/apache/zookeeper/KeeperException.Code.html).
// It implements error.
type Code int32

// The codes that a [Machine] answers.
const (
	OK Code = 0

	// RuntimeInconsistency stands in the results of a failed Multi for the
	// requests after the one that failed.
	RuntimeInconsistency Code = -2
	// Unimplemented answers a request or node type that is not supported.
	Unimplemented Code = -6
	BadArguments  Code = -8

	NoNode                  Code = -101
	BadVersion              Code = -103
	NoChildrenForEphemerals Code = -108
	NodeExists              Code = -110
	NotEmpty                Code = -111
	SessionExpired          Code = -112
	InvalidACL              Code = -114
	AuthFailed              Code = -115
	// SessionMoved answers a connection whose session goes on over another one.
	SessionMoved Code = -118
)

var codeTexts = map[Code]string{
	OK:                      "ok",
	RuntimeInconsistency:    "not carried out: another request of the multi failed",
	Unimplemented:           "not supported",
	BadArguments:            "bad arguments",
	NoNode:                  "no such node",
	BadVersion:              "version conflict",
	NoChildrenForEphemerals: "an ephemeral node cannot have children",
	NodeExists:              "node exists",
	NotEmpty:                "node has children",
	SessionExpired:          "session expired",
	InvalidACL:              "invalid ACL",
	AuthFailed:              "authentication failed",
	SessionMoved:            "session moved to another connection",
}

// Error implements error.
func (c Code) Error() string {
	if text, ok := codeTexts[c]; ok {
		return "zookeeper: " + text
	}
	return fmt.Sprintf("zookeeper: error code %d", int32(c))
}
