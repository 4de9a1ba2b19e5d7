package likes

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// ErrAlready: the person has liked the post before. Nothing was changed.
var ErrAlready = errors.New("already liked")

// Like is one press of the button.
type Like struct {
	Post   int64
	Person string
	// Request is the key of the request, the same for every repetition of it. At
	// most 255 bytes; only [Idempotency] needs it.
	Request string
}

// Defence is what the service relies on beside the lock.
type Defence string

// The defences. Each of them alone keeps the likes right, apart from None.
const (
	// None: the service looks and then inserts. That is right only as long as
	// nobody comes in between, which is what the lock is for.
	None Defence = "none"
	// Unique: a unique index on (post, person) refuses the second row.
	Unique Defence = "unique"
	// Conditional: the row exists beforehand, and the update that counts it asks
	// in the same statement whether it has been counted.
	Conditional Defence = "conditional"
	// Idempotency: the key of the request and the row are committed together.
	Idempotency Defence = "idempotency"
)

// Service counts likes in a table. It is safe for concurrent use.
type Service struct {
	db       *rowlock.DB
	defence  Defence
	requests *sqlfencing.Idempotency
}

// New makes a service. It sends nothing: [Service.CreateSchema] creates the
// tables. An unknown defence is lock.ErrInvalid.
func New(db *rowlock.DB, defence Defence) (*Service, error) {
	switch defence {
	case None, Unique, Conditional, Idempotency:
		return &Service{db, defence, sqlfencing.NewIdempotency(db, requestTable)}, nil
	}
	return nil, fmt.Errorf("likes: %w: unknown defence %q", lock.ErrInvalid, defence)
}

// Like counts a like, or returns [ErrAlready]. Callers hold the lock of the post
// and the person, so that a second press waits for the first: with a defence that
// saves work, without one everything depends on it.
func (s *Service) Like(ctx context.Context, l Like) error { return s.LikeIn(ctx, s.db, l) }

// LikeIn is Like in a transaction of the caller's, which takes effect with its
// commit. Not so with [Idempotency], which brings a transaction of its own.
func (s *Service) LikeIn(ctx context.Context, c sqlfencing.Conn, l Like) error {
	liked, err := liked(ctx, c, l)
	if err == nil && !liked {
		liked, err = s.count(ctx, c, l)
	}
	switch {
	case err != nil:
		return fmt.Errorf("likes: %w", err)
	case liked:
		return fmt.Errorf("likes: post %d by %s: %w", l.Post, l.Person, ErrAlready)
	}
	return nil
}

// Times is how often a like has been counted: once at most, if all is well.
func (s *Service) Times(ctx context.Context, post int64, person string) (int64, error) {
	return times(ctx, s.db, post, person)
}

// Total is how many likes a post has, as seen through c.
func (s *Service) Total(ctx context.Context, c sqlfencing.Conn, post int64) (total int64, err error) {
	err = c.One(ctx, "SELECT COUNT(*) AS total FROM likes WHERE post = ? AND times > 0", []any{post}, &total)
	return total, err
}

func liked(ctx context.Context, c sqlfencing.Conn, l Like) (bool, error) {
	n, err := times(ctx, c, l.Post, l.Person)
	return n > 0, err
}

func times(ctx context.Context, c sqlfencing.Conn, post int64, person string) (times int64, err error) {
	err = c.One(ctx, "SELECT COALESCE(SUM(times), 0) AS times FROM likes WHERE post = ? AND person = ?",
		[]any{post, person}, &times)
	return times, err
}

// count does what the defence says, and reports whether the like had been
// counted before.
func (s *Service) count(ctx context.Context, c sqlfencing.Conn, l Like) (already bool, err error) {
	switch s.defence {
	case Unique:
		return insertOnce(ctx, c, l)
	case Conditional:
		return updateOnce(ctx, c, l)
	case Idempotency:
		return s.requestOnce(ctx, l)
	}
	return false, insert(ctx, c, l)
}

const insertLike = "INSERT INTO likes (post, person, times) VALUES (?, ?, 1)"

func insert(ctx context.Context, c sqlfencing.Conn, l Like) error {
	_, err := c.Exec(ctx, insertLike, l.Post, l.Person)
	return err
}

func insertOnce(ctx context.Context, c sqlfencing.Conn, l Like) (already bool, err error) {
	inserted, err := sqlfencing.InsertOnce(ctx, c, insertLike, l.Post, l.Person)
	return !inserted, err
}

func updateOnce(ctx context.Context, c sqlfencing.Conn, l Like) (already bool, err error) {
	changed, err := c.Exec(ctx,
		"UPDATE likes SET times = times + 1 WHERE post = ? AND person = ? AND times = 0", l.Post, l.Person)
	return changed == 0, err
}

func (s *Service) requestOnce(ctx context.Context, l Like) (already bool, err error) {
	_, already, err = s.requests.Do(ctx, l.Request, func(ctx context.Context, tx *rowlock.Tx) (string, error) {
		return "liked", insert(ctx, tx, l)
	})
	return already, err
}
