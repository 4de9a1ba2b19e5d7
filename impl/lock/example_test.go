package lock_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// newLocker makes a lock on a Redis within the process.
func newLocker() (lock.Locker, func()) {
	server := redisd.InMemory()
	rdb := server.Client()
	locker, err := redislock.New(rdb, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return locker, func() { _ = rdb.Close(); server.Close() }
}

func ExampleDo() {
	locker, stop := newLocker() // any Locker
	defer stop()
	err := lock.Do(context.Background(), locker, "order:1", func(ctx context.Context) error {
		fmt.Println("holding it") // ctx ends if the lock is lost
		return ctx.Err()
	})
	fmt.Println(err)
	// Output:
	// holding it
	// <nil>
}

func ExampleDoTx() {
	locker, stop := newLocker() // any Locker
	defer stop()
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{}) // any database
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE likes (post INTEGER, user INTEGER)"); err != nil {
		log.Fatal(err)
	}

	like := func(post, user int) error {
		key := fmt.Sprintf("post:like:%d:%d", post, user)
		begin := func(ctx context.Context) (*sql.Tx, error) { return db.BeginTx(ctx, nil) }
		return lock.DoTx(ctx, locker, key, begin, func(ctx context.Context, tx *sql.Tx) error {
			var n int
			err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM likes WHERE post = ? AND user = ?", post, user).Scan(&n)
			if err == nil && n > 0 {
				return fmt.Errorf("already liked")
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, "INSERT INTO likes VALUES (?, ?)", post, user)
			}
			return err
		})
	}
	fmt.Println(like(7, 42))
	fmt.Println(like(7, 42))
	// Output:
	// <nil>
	// already liked
}

func ExampleGuard() {
	locker, stop := newLocker() // any Locker
	defer stop()

	type Like struct{ Post, User int }
	like, err := lock.Guard(locker, "post:like:{post}:{user}", func(_ context.Context, l Like) (string, error) {
		return fmt.Sprintf("user %d likes post %d", l.User, l.Post), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Two clicks of one user run one after the other; those of others do not
	// wait.
	fmt.Println(like(context.Background(), Like{Post: 7, User: 42}))
	// Output: user 42 likes post 7 <nil>
}

func ExampleMulti() {
	locker, stop := newLocker() // any Locker, also of different backends
	defer stop()
	under := func(name string) lock.Member {
		return lock.Member{Locker: locker, Name: func(key string) string { return name + ":" + key }}
	}
	both, err := lock.NewMulti(nil, under("stock"), under("wallet"))
	if err != nil {
		log.Fatal(err)
	}
	err = lock.Do(context.Background(), both, "42", func(context.Context) error {
		fmt.Println("holding stock:42 and wallet:42")
		return nil
	})
	fmt.Println(err)
	// Output:
	// holding stock:42 and wallet:42
	// <nil>
}
