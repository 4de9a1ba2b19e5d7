package sqllock

import (
	"context"
	"fmt"

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
	for _, statement := range m.protocol.Statements.Schema {
		create := m.protocol.Exec(statement)
		_, err := m.engine.Do(ctx, create)
		if err != nil {
			// PostgreSQL: two sessions that create one table at the same time
			// collide in the catalogue, IF NOT EXISTS or not. Then it is there.
			_, err = m.engine.Do(ctx, create)
		}
		if err != nil {
			return fmt.Errorf("sqllock: create schema: %w", err)
		}
	}
	return nil
}
