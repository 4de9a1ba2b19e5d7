package antipattern

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// PlainPut is WRONG for a value that a lock guards: it writes key whether or not
// the writer's grant still holds. A holder that was paused for longer than its
// lease overwrites what its successor has written. Instead: etcdlock.GuardedPut.
func PlainPut(ctx context.Context, store etcdlock.Store, key, value string) error {
	_, err := store.Txn(ctx, etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Put(key, value, 0)}})
	if err != nil {
		return fmt.Errorf("antipattern: put %q: %w", key, err)
	}
	return nil
}
