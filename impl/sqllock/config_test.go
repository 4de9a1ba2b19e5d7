package sqllock_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestBadConfigurationIsRefusedAtOnce(t *testing.T) {
	db := sqltest.SQLite(t, nil).DB
	for name, c := range map[string]struct {
		db  *sql.DB
		cfg sqllock.Config
	}{
		"no database":      {nil, sqllock.Config{Dialect: dialect.SQLite()}},
		"no dialect":       {db, sqllock.Config{}},
		"TTL too short":    {db, sqllock.Config{Dialect: dialect.SQLite(), TTL: 9 * time.Millisecond}},
		"TTL negative":     {db, sqllock.Config{Dialect: dialect.SQLite(), TTL: -time.Second}},
		"renewal too late": {db, sqllock.Config{Dialect: dialect.SQLite(), RenewEvery: time.Minute}},
		"negative timeout": {db, sqllock.Config{Dialect: dialect.SQLite(), RequestTimeout: -1}},
		"table injection":  {db, sqllock.Config{Dialect: dialect.SQLite(), Table: "locks; DROP TABLE orders"}},
		"table too long":   {db, sqllock.Config{Dialect: dialect.SQLite(), Table: strings.Repeat("x", 42)}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := sqllock.New(c.db, c.cfg)
			wantErr(t, "New", err, lock.ErrInvalid)
			if m != nil {
				t.Error("New returned a mutex beside the error")
			}
		})
	}
}

func TestBadRequestsAreRefusedWithoutAskingTheDatabase(t *testing.T) {
	w := newWorld(t, sqltest.SQLite(t, nil))
	m := w.mutex(t, sqllock.Config{})
	for name, c := range map[string]struct {
		key string
		opt lock.Option
	}{
		"empty key":     {"", nil},
		"long key":      {strings.Repeat("x", sqllock.MaxKey+1), nil},
		"not UTF-8":     {"\xff", nil},
		"NUL":           {"a\x00b", nil},
		"TTL too short": {key, lock.WithTTL(time.Millisecond)},
		"TTL negative":  {key, lock.WithTTL(-time.Second)},
		"re-entry":      {key, lock.WithOwner("me")},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []lock.Option{lock.WithTTL(time.Minute)}
			if c.opt != nil {
				opts = append(opts, c.opt)
			}
			_, err := m.Acquire(t.Context(), c.key, opts...)
			wantErr(t, "Acquire", err, lock.ErrInvalid)
		})
	}
	if sent := w.Tap.Requests(); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

func TestTheSchemaIsTheOneThatIsCreated(t *testing.T) {
	b := sqltest.SQLite(t, nil)
	statements, err := sqllock.Schema(sqllock.Config{Dialect: b.Dialect, Table: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		b.Exec(t, s)
	}
	m, err := sqllock.New(b.DB, sqllock.Config{Dialect: b.Dialect, Table: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	release(t, acquire(t, m))
	_, err = sqllock.Schema(sqllock.Config{Dialect: b.Dialect, Table: "no-name"})
	wantErr(t, "Schema", err, lock.ErrInvalid)
}
