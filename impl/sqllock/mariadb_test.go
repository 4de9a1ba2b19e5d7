package sqllock_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

// The statements must not depend on how a client has set up its session.
func TestMariaDBSettings(t *testing.T) {
	b := sqltest.MariaDB(t)
	for name, setting := range map[string]string{
		"counts found rows":          "&clientFoundRows=true",
		"assigns at once":            "&sql_mode=%27SIMULTANEOUS_ASSIGNMENT%27",
		"strict and ANSI":            "&sql_mode=%27ANSI,STRICT_ALL_TABLES%27",
		"another time zone":          "&time_zone=%27%2B01%3A00%27",
		"prepares its statements":    "&interpolateParams=false",
		"reads what is committed":    "&tx_isolation=%27READ-COMMITTED%27",
		"serializes its transaction": "&tx_isolation=%27SERIALIZABLE%27",
	} {
		t.Run(name, func(t *testing.T) {
			b := b
			db, err := sql.Open("mysql", b.Server.DSN()+setting)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			b.DB = db
			wholeLife(t, newWorld(t, b))
		})
	}
}

// wholeLife takes a lock through all the statements there are.
func wholeLife(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{NoRenew: true})
	a := acquire(t, m, lock.WithTTL(time.Hour))
	if _, err := m.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("a second TryAcquire: %v", err)
	}
	for range 3 {
		if err := a.(lock.Renewer).Renew(t.Context()); err != nil {
			t.Error(err)
		}
	}
	w.age(t, 2*time.Hour)
	next := acquire(t, m)
	owner, token, left := w.row(t)
	if owner != next.Owner() || token != 2 || left < 29*time.Second || left > 30*time.Second {
		t.Errorf("taken over: owner %q, token %d, %v left", owner, token, left)
	}
	wantErr(t, "the old lease's release", a.Release(t.Context()), lock.ErrNotHeld)
	release(t, next)
	for range 2 {
		w.age(t, 2*idle)
		cleanUp(t, m)
	}
	if n := w.names(t); n != 0 {
		t.Errorf("%d rows after the clean-up", n)
	}
	if token := tokenOf(t, acquire(t, m)); token != 3 {
		t.Errorf("token %d after the clean-up, want 3", token)
	}
}
