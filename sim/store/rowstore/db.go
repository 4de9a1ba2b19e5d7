package rowstore

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// Config says which database is modelled and how it is set.
type Config struct {
	// Kind is dialect.KindPostgres or dialect.KindMySQL, which means InnoDB.
	Kind dialect.Kind
	// After calls do once d of the database's time has passed, unless it is
	// cancelled before. It must not call it at once.
	After func(d time.Duration, do func()) (cancel func())
	// LockWait bounds the wait for a lock unless a session sets it:
	// innodb_lock_wait_timeout, lock_timeout. Zero means 50 s on InnoDB and no
	// bound on PostgreSQL, which are their defaults.
	LockWait time.Duration
	// Idle ends a session whose transaction has been idle for that long, as
	// idle_in_transaction_session_timeout does on PostgreSQL and
	// idle_transaction_timeout on MariaDB. Zero means never, which is the
	// default of both.
	Idle time.Duration
}

const (
	innodbLockWait = 50 * time.Second
	// deadlockTimeout is how long PostgreSQL lets a statement wait before it
	// looks for a deadlock. InnoDB looks at once.
	deadlockTimeout = time.Second
)

// DB is one database. It implements sqlstore.Engine and is not safe for
// concurrent use.
type DB struct {
	cfg      Config
	tables   map[string]*table
	sessions []*session
	waits    []*wait // in the order in which they began
	commits  int64   // how many transactions have committed
	changed  func(text string, s sqlstore.Session)
}

var _ sqlstore.Engine = (*DB)(nil)

// New makes an empty database.
func New(cfg Config) *DB {
	if cfg.LockWait == 0 && cfg.Kind == dialect.KindMySQL {
		cfg.LockWait = innodbLockWait
	}
	return &DB{cfg: cfg, tables: map[string]*table{}, changed: func(string, sqlstore.Session) {}}
}

// innodb reports whether the model is that of InnoDB.
func (db *DB) innodb() bool { return db.cfg.Kind == dialect.KindMySQL }

// OnChange implements sqlstore.Spontaneous.
func (db *DB) OnChange(f func(text string, s sqlstore.Session)) { db.changed = f }

// Open implements sqlstore.Engine.
func (db *DB) Open() (sqlstore.Session, error) {
	s := &session{db: db, lockWait: db.cfg.LockWait}
	db.sessions = append(db.sessions, s)
	return s, nil
}

// View implements sqlstore.Engine.
func (db *DB) View(query string) ([][]driver.Value, error) {
	return db.view(query, nil, db.commits)
}

// view runs a query as a transaction with a snapshot sees it.
func (db *DB) view(query string, tx *transaction, snapshot int64) ([][]driver.Value, error) {
	st, err := parse(query, nil)
	if err != nil {
		return nil, err
	}
	t, err := db.table(st.table)
	if err != nil {
		return nil, err
	}
	return t.read(st, tx, snapshot).Rows, nil
}

// Run carries out statements beside all sessions, such as a schema. One that
// would have to wait is an error.
func (db *DB) Run(statements ...string) error {
	s := &session{db: db}
	for _, text := range statements {
		err := fmt.Errorf("%q waits", text)
		s.Do(sqlstore.Statement{Text: text}, func(a sqlstore.Answer) { err = a.Err })
		if err != nil {
			return err
		}
	}
	return nil
}

// Close implements sqlstore.Engine. What is under way is forgotten.
func (db *DB) Close() {
	for _, s := range db.sessions {
		s.closed = true
	}
	db.sessions, db.waits = nil, nil
}

// LockedBy implements sqlstore.RowLocker: the session that has locked the row of
// a table with the given primary key, or nil.
func (db *DB) LockedBy(tableName, key string) sqlstore.Session {
	t, ok := db.tables[tableName]
	if !ok {
		return nil
	}
	i, found := t.find([]driver.Value{key})
	if !found || t.rows[i].locker == nil {
		return nil
	}
	return t.rows[i].locker.session
}
