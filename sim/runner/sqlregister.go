package runner

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	fencinganti "github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing/antipattern"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	sqlanti "github.com/lockstep-sim/lockstep/impl/sqllock/antipattern"
	"github.com/lockstep-sim/lockstep/sim/store/resource"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// The tables of an application that keeps the resources beside the locks. Rows
// are written with the token or the version that their guard needs. The guards
// are rows of their own with a version.
const (
	dataTable  = "data"
	guardTable = "guards"
)

// sqlSchema is what the resources need, where the database keeps them.
func (p *plan) sqlSchema() []string {
	if p.ownResources() || len(p.sc.Resources) == 0 {
		return nil
	}
	schema := []string{
		"CREATE TABLE " + dataTable + " (name TEXT PRIMARY KEY, value INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 1, token INTEGER NOT NULL DEFAULT 0)",
		"CREATE TABLE " + guardTable + " (name TEXT PRIMARY KEY, note TEXT NOT NULL, version INTEGER NOT NULL)",
	}
	for _, r := range p.sc.Resources {
		schema = append(schema,
			fmt.Sprintf("INSERT INTO %s VALUES (%s, %d, 1, 0)", dataTable, quoted(r.Name.Text), p.integer(r.Initial)),
			fmt.Sprintf("INSERT INTO %s VALUES (%s, '', 1)", guardTable, quoted(r.Name.Text)))
	}
	return schema
}

// quoted is a name as a literal of SQL.
func quoted(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }

// sqlViews show the rows of the application.
func (p *plan) sqlViews() (views []string) {
	if p.uses("like") || p.uses("lock-and-like") {
		views = append(views, likeView)
	}
	if p.ownResources() || len(p.sc.Resources) == 0 {
		return views
	}
	views = append(views, "SELECT name, value, NULL FROM "+dataTable)
	switch p.params["resource"] {
	case "versioned":
		views = append(views, "SELECT name || ' version', version, NULL FROM "+dataTable)
	case "version-elsewhere":
		views = append(views, "SELECT name || ' guard version', version, NULL FROM "+guardTable)
	}
	return views
}

// sqlData is a way to write a resource in the database.
type sqlData interface {
	// write writes the value that was computed from what was read last.
	write(ctx context.Context, value int64) error
	read(ctx context.Context) (int64, error)
	// change reads, computes and writes.
	change(ctx context.Context, compute func(int64) (int64, error)) error
}

// sqlRegister is a resource that is a row of the database.
type sqlRegister struct {
	name string
	data sqlData
}

func (b *tableBackend) register(c *client, name string) (register, error) {
	data, err := b.data(c, name)
	return &sqlRegister{name, data}, err
}

func (b *tableBackend) data(c *client, name string) (sqlData, error) {
	db := b.db(c)
	versions := versions{name: name, right: versioned[int64](b, c, db, dataTable, "value")}
	switch b.x.params["resource"] {
	case "versioned":
		return &versions, nil
	case "unversioned":
		return &unversioned{versions, sqlanti.Unversioned[int64]{Versioned: versions.right}}, nil
	case "version-elsewhere":
		return &versionElsewhere{
			versions: versions, guard: versioned[string](b, c, db, guardTable, "note"),
			wrong: sqlanti.VersionElsewhere[int64]{
				Data: sqlanti.Unversioned[int64]{Versioned: versions.right},
				Lock: versioned[string](b, c, db, guardTable, "note"),
			},
		}, nil
	case "upsert":
		rows, err := b.rows(db, c)
		return &upsert{name, sqlfencing.NewResource(rows, dataTable), fencinganti.PlainUpsert{Conn: rows, Table: dataTable}}, err
	}
	return nil, fmt.Errorf("resource=%s: no resource of a database", b.x.params["resource"])
}

func versioned[T any](b *tableBackend, c *client, db *sql.DB, table, value string) sqllock.Versioned[T] {
	return sqllock.Versioned[T]{
		DB: db, Dialect: b.engine.Dialect(), Clock: c.clk, Rand: unspread,
		Table: table, Key: "name", Value: value, Version: "version",
	}
}

func (r *sqlRegister) Read(ctx context.Context) (int64, error) { return r.data.read(ctx) }

func (r *sqlRegister) Write(ctx context.Context, value int64, w resource.Writer) error {
	ctx, note := r.writing(ctx, w)
	note.Value = strconv.FormatInt(value, 10)
	return r.data.write(ctx, value)
}

// Add reads, computes and writes: what comes of it is what a resource is for.
func (r *sqlRegister) Add(ctx context.Context, delta int64, w resource.Writer) (value int64, err error) {
	ctx, note := r.writing(ctx, w)
	err = r.data.change(ctx, func(old int64) (int64, error) {
		value = old + delta
		note.From, note.Value = strconv.FormatInt(old, 10), strconv.FormatInt(value, 10)
		return value, nil
	})
	return value, err
}

func (r *sqlRegister) writing(ctx context.Context, w resource.Writer) (context.Context, *trace.Write) {
	note := &trace.Write{Name: r.name}
	if w != nil {
		note.Grant = w.Owner()
	}
	return sqlstore.Writing(ctx, dataTable, note), note
}

// versions is the right way.
type versions struct {
	name    string
	right   sqllock.Versioned[int64]
	version int64 // of the value that was read last
}

func (v *versions) read(ctx context.Context) (value int64, err error) {
	value, v.version, err = v.right.Read(ctx, v.name)
	return value, err
}

func (v *versions) write(ctx context.Context, value int64) error {
	return v.right.Write(ctx, v.name, value, v.version)
}

func (v *versions) change(ctx context.Context, compute func(int64) (int64, error)) error {
	return v.right.Change(ctx, v.name, compute)
}

// unversioned ignores the version.
type unversioned struct {
	versions
	wrong sqlanti.Unversioned[int64]
}

func (u *unversioned) write(ctx context.Context, value int64) error {
	return u.wrong.Write(ctx, u.name, value, u.version)
}

func (u *unversioned) change(ctx context.Context, compute func(int64) (int64, error)) error {
	return readAndWrite(ctx, u, compute)
}

// versionElsewhere checks the version of another row.
type versionElsewhere struct {
	versions
	guard sqllock.Versioned[string]
	wrong sqlanti.VersionElsewhere[int64]
}

func (v *versionElsewhere) read(ctx context.Context) (value int64, err error) {
	if _, v.version, err = v.guard.Read(ctx, v.name); err != nil {
		return 0, err
	}
	value, _, err = v.right.Read(ctx, v.name)
	return value, err
}

func (v *versionElsewhere) write(ctx context.Context, value int64) error {
	return v.wrong.Write(ctx, v.name, v.name, value, v.version)
}

func (v *versionElsewhere) change(ctx context.Context, compute func(int64) (int64, error)) error {
	return readAndWrite(ctx, v, compute)
}

func readAndWrite(ctx context.Context, d sqlData, compute func(int64) (int64, error)) error {
	value, err := d.read(ctx)
	if err == nil {
		value, err = compute(value)
	}
	if err != nil {
		return err
	}
	return d.write(ctx, value)
}

// upsert writes what comes.
type upsert struct {
	name  string
	right *sqlfencing.Resource
	wrong fencinganti.PlainUpsert
}

func (u *upsert) read(ctx context.Context) (int64, error) { return u.right.Read(ctx, u.name) }

func (u *upsert) write(ctx context.Context, value int64) error {
	return u.wrong.Write(ctx, u.name, value, 0)
}

func (u *upsert) change(ctx context.Context, compute func(int64) (int64, error)) error {
	return readAndWrite(ctx, u, compute)
}
