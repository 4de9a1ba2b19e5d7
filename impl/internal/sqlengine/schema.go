package sqlengine

import (
	"context"
	"fmt"
)

// Create carries out data definitions that leave alone what exists. Each is
// tried twice: two sessions that create one table at the same time collide in
// PostgreSQL's catalogue, IF NOT EXISTS or not, and then it is there.
func Create(ctx context.Context, exec func(context.Context, string) error, statements ...string) error {
	for _, statement := range statements {
		err := exec(ctx, statement)
		if err != nil {
			err = exec(ctx, statement)
		}
		if err != nil {
			return fmt.Errorf("create schema: %w", err)
		}
	}
	return nil
}
