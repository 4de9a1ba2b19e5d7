package sqllock

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// Schema is the data definition that CreateSchema carries out, for those who
// would rather have it in their own migrations. The error is that of [New].
func Schema(cfg Config) ([]string, error) {
	name, err := table.CheckName(cfg.Table)
	if err != nil {
		return nil, err
	}
	return table.NewStatements(cfg.Dialect, name, false).Schema, nil
}

// CreateSchema creates the tables where they are missing. Several processes may
// do so at once.
func (m *Mutex) CreateSchema(ctx context.Context) error {
	err := sqlengine.Create(ctx, func(ctx context.Context, statement string) error {
		_, err := m.engine.Do(ctx, m.protocol.Exec(statement))
		return err
	}, m.protocol.Statements.Schema...)
	if err != nil {
		return fmt.Errorf("sqllock: %w", err)
	}
	return nil
}
