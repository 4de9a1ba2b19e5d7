package redislock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

// ErrUpgrade is returned to an owner that holds a key for reading and asks to
// write: two readers doing so would wait for each other for ever. It is also
// lock.ErrInvalid. Release the lease to read first, and expect that another
// writer comes in between.
var ErrUpgrade = fmt.Errorf("%w: an owner that reads cannot become the writer", lock.ErrInvalid)

// ReadWrite grants every key to one owner that writes, or to any number that
// read. An owner that writes may also read, and by releasing the lease to write
// becomes a reader without a gap; the other way round is [ErrUpgrade].
// lock.WithOwner says who asks.
//
// Every lease ends on its own: one that was granted for a shorter time does not
// shorten another, and a reader that dies does not go on as long as other readers
// renew theirs. Leases to write have tokens, if Config.Fencing is set; those to
// read have none.
//
// Readers that come one after another without a gap keep a writer out for as
// long as they do.
type ReadWrite struct{ read, write locker }

// NewReadWrite makes a read-write lock. It sends nothing. A setting that cannot
// work is lock.ErrInvalid.
func NewReadWrite(rdb Client, cfg Config) (*ReadWrite, error) {
	conn := engine.NewConn(rdb, cfg.Clock)
	read, err := newLocker(rdb, readWrite{conn: conn, mode: reading}, cfg)
	if err != nil {
		return nil, err
	}
	write, err := newLocker(rdb, readWrite{conn: conn, mode: writing, fencing: cfg.Fencing}, cfg)
	if err != nil {
		return nil, err
	}
	read.engine.Reentrant, write.engine.Reentrant = true, true
	return &ReadWrite{read: read, write: write}, nil
}

// Reader is the lock for reading. Its leases implement lock.Renewer.
func (rw *ReadWrite) Reader() lock.Locker { return rw.read }

// Writer is the lock for writing. Its leases implement lock.Renewer.
func (rw *ReadWrite) Writer() lock.Locker { return rw.write }

const (
	reading = "read"
	writing = "write"
)

// readWrite implements engine.Protocol for one of the two.
type readWrite struct {
	conn    engine.Conn
	mode    string
	fencing bool
}

// holds is where the leases of this kind stand.
func (p readWrite) holds(c engine.Claim) string {
	if p.mode == reading {
		return c.Beside("readers")
	}
	return c.Key
}

// hold is how the claim stands there. The length in front keeps the beginning
// of one owner's holds from being that of another's.
func hold(c engine.Claim) (mine, hold string) {
	mine = strconv.Itoa(len(c.Owner)) + ":" + c.Owner + ":"
	return mine, mine + c.Hold
}

// Grant adds a hold unless one of another owner is in the way.
func (p readWrite) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	mine, hold := hold(c)
	out, err := lua.RWAcquire.RunGrant(ctx, p.conn, c, p.fencing,
		[]string{c.Key, c.Beside("readers")}, p.mode, mine, hold, c.Millis())
	if errors.Is(err, lua.ErrRefused) {
		err = ErrUpgrade
	}
	return out, err
}

// Renew lengthens the hold.
func (p readWrite) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	_, hold := hold(c)
	return lua.HoldRenew.Run(ctx, p.conn, c, []string{p.holds(c)}, hold, c.Millis()).Bool()
}

// Release ends the hold.
func (p readWrite) Release(ctx context.Context, c engine.Claim) (bool, error) {
	_, hold := hold(c)
	return lua.RWRelease.Run(ctx, p.conn, c, []string{p.holds(c)}, hold, c.Channel).Bool()
}

// Remaining is the time to the end of the last hold in the way.
func (p readWrite) Remaining(_ context.Context, _ engine.Claim, refused engine.Outcome) (time.Duration, error) {
	return engine.UntilExpired(refused.PTTL), nil
}
