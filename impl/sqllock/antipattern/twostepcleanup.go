package antipattern

import (
	"context"
	"database/sql"
	"time"

	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// TwoStepCleanUp looks for expired rows and then deletes them by name. A row
// that is taken over between the two is deleted all the same, and with it the
// lock of its new owner, who does not notice until the next renewal.
type TwoStepCleanUp struct{ protocol table.Protocol }

// NewTwoStepCleanUp makes one.
func NewTwoStepCleanUp(db *sql.DB, cfg sqllock.Config) (*TwoStepCleanUp, error) {
	p, err := table.NewProtocol(db, table.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &TwoStepCleanUp{p}, nil
}

// CleanUp deletes the rows that have been expired for longer than idle, and
// returns how many they were.
func (j *TwoStepCleanUp) CleanUp(ctx context.Context, idle time.Duration) (deleted int64, err error) {
	names, err := j.expired(ctx, idle)
	for _, name := range names {
		if err != nil {
			break
		}
		var n int64
		n, err = j.protocol.Exec(j.rewrite("DELETE FROM {table} WHERE name = ?"), name)(ctx)
		deleted += n
	}
	return deleted, err
}

func (j *TwoStepCleanUp) expired(ctx context.Context, idle time.Duration) (names []string, err error) {
	rows, err := j.protocol.DB.QueryContext(ctx,
		j.rewrite("SELECT name FROM {table} WHERE expires_ms < {now} - ?"), idle.Milliseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (j *TwoStepCleanUp) rewrite(statement string) string {
	return table.Rewrite(j.protocol.Dialect, j.protocol.Table, statement)
}
