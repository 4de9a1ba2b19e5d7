package engine

import (
	"context"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// tasks runs what goes on in the background and waits for all of it.
type tasks struct {
	clk clock.Clock

	mu   sync.Mutex
	n    int
	idle clock.Event // set when n falls to 0, and then replaced
}

func newTasks(clk clock.Clock) *tasks { return &tasks{clk: clk, idle: clk.NewEvent()} }

func (g *tasks) run(f func()) {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	g.clk.Go(func() {
		defer g.end()
		f()
	})
}

func (g *tasks) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 {
		g.idle.Set()
		g.idle = g.clk.NewEvent()
	}
}

// join waits until nothing runs. Every task is bounded in time.
func (g *tasks) join() {
	g.mu.Lock()
	n, idle := g.n, g.idle
	g.mu.Unlock()
	if n > 0 {
		_ = idle.Wait(context.Background(), clock.NoLimit)
	}
}
