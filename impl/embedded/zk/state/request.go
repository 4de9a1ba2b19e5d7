package state

// Op is the kind of a request, with the number that it has in the protocol.
type Op int32

// The supported requests. [Machine.Do] answers any other one [Unimplemented].
const (
	OpCreate       Op = 1
	OpDelete       Op = 2
	OpExists       Op = 3
	OpGetData      Op = 4
	OpSetData      Op = 5
	OpGetACL       Op = 6
	OpSetACL       Op = 7
	OpGetChildren  Op = 8
	OpSync         Op = 9
	OpPing         Op = 11
	OpGetChildren2 Op = 12
	OpCheck        Op = 13 // inside a Multi only
	OpMulti        Op = 14
	OpCreate2      Op = 15
	OpSetAuth      Op = 100
	OpSetWatches   Op = 101
	OpCloseSession Op = -11

	// OpError marks the result of a request inside a failed Multi.
	OpError Op = -1
)

// The flags of a create.
const (
	Persistent          int32 = 0
	Ephemeral           int32 = 1
	Sequential          int32 = 2
	EphemeralSequential int32 = Ephemeral | Sequential
	Container           int32 = 4 // refused with Unimplemented
	PersistentTTL       int32 = 5 // refused with Unimplemented
	SequentialTTL       int32 = 6 // refused with Unimplemented
)

// AnyVersion in a request means that the version is not compared.
const AnyVersion int32 = -1

// Request is one request of a client. Op says which of the fields count.
type Request struct {
	Op   Op
	Path string // every Op but Ping, Multi, SetAuth, SetWatches and CloseSession

	Data    []byte // Create, Create2, SetData
	ACL     []ACL  // Create, Create2, SetACL
	Flags   int32  // Create, Create2
	Version int32  // Delete, SetData, SetACL, Check: the expected one, or AnyVersion
	Watch   bool   // Exists, GetData, GetChildren, GetChildren2

	Multi   []Request   // Multi: Create, Create2, Delete, SetData and Check
	Watches *OldWatches // SetWatches
	Auth    Auth        // SetAuth
}

// Has reports whether the request is, or as a Multi contains, one of kind op.
func (r Request) Has(op Op) bool {
	if r.Op == op {
		return true
	}
	for _, sub := range r.Multi {
		if sub.Op == op {
			return true
		}
	}
	return false
}

// OldWatches is what a client that has changed its connection still waits for.
type OldWatches struct {
	// Since is the last zxid that the client has seen.
	Since int64
	// Data are paths of nodes that existed, Exist of nodes that did not, Child
	// of nodes whose children are watched.
	Data, Exist, Child []string
}

// Auth is a proof of identity. Only the scheme "digest", with "user:password",
// is known.
type Auth struct {
	Scheme string
	Data   []byte
}

// Response is the answer to a Request.
type Response struct {
	// Op is that of the request; in the results of a failed Multi, OpError.
	Op Op
	// Zxid is the transaction of a request that changes something, and of any
	// other the last one that it may have seen.
	Zxid int64
	// Code is the outcome. A Multi is answered OK even when it failed; its
	// results then say why, as in the protocol.
	Code Code

	Path     string     // Create, Create2, Sync
	Data     []byte     // GetData
	Stat     Stat       // Create2, Exists, GetData, SetData, GetACL, SetACL, GetChildren2
	Children []string   // GetChildren, GetChildren2: names, sorted
	ACL      []ACL      // GetACL
	Results  []Response // Multi: one for each request
}

// EventType is what happened to a watched node.
type EventType int32

// The event types, with the numbers of the protocol.
const (
	NodeCreated         EventType = 1
	NodeDeleted         EventType = 2
	NodeDataChanged     EventType = 3
	NodeChildrenChanged EventType = 4
)

// Event tells a client that a watch of its fired. The watch is gone with it.
type Event struct {
	Type EventType
	Path string
}
