package sqllock

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// MinIdle is the shortest idle time that [Mutex.CleanUp] takes.
const MinIdle = time.Minute

// CleanUp deletes the rows of locks that have been free, or expired, for longer
// than idle, and returns how many they were. It is for programs with names
// without bound, such as one for each order; others do not need it. Run it now
// and then, from one process or from several: it deletes what the run before it
// announced, so a row goes after one to two times idle.
//
// With a row goes the count of its grants, and tokens must never start again.
// So the largest token of the rows to be deleted is first put into the floor, a
// table of one row above which new rows start to count. It must be there long
// enough that no statement is still under way that read the floor before: idle
// must exceed any such time by far. Below [MinIdle] it is lock.ErrInvalid.
func (m *Mutex) CleanUp(ctx context.Context, idle time.Duration) (deleted int64, err error) {
	if idle < MinIdle {
		return 0, fmt.Errorf("sqllock: clean up: %w: idle time %v is below the minimum of %v",
			lock.ErrInvalid, idle, MinIdle)
	}
	ms := idle.Milliseconds()
	deleted, err = m.engine.Do(ctx, m.protocol.DeleteIdle(ms))
	if err == nil {
		_, err = m.engine.Do(ctx, m.protocol.RaiseFloor(ms))
	}
	if err != nil {
		return deleted, fmt.Errorf("sqllock: clean up: %w", err)
	}
	return deleted, nil
}
