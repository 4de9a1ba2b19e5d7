package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/internal/demo/backend"
	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

// setUp bounds everything before the workers begin: starting a server,
// connecting, and the first grant.
const setUp = 10 * time.Second

// Options describe a demo.
type Options struct {
	// Target is the name of an embedded backend or the URL of another one.
	Target string
	// Workers is how many contend, at least one.
	Workers int
	// Duration is how long they do.
	Duration time.Duration
	// TTL is the time of a lease; 0 means the default of the lock.
	TTL time.Duration
	// NoLock lets the workers in without asking for the lock.
	NoLock bool

	// Out takes the verdict and the plain lines.
	Out io.Writer
	// Live shows what happens on the terminal instead of writing plain lines.
	Live bool
}

// Run shows a demo until its time is over or ctx ends, and then writes its
// verdict. The end of ctx is no error, unless it comes before the workers begin.
// An error means that there was no contest to speak of, or that writing failed.
func Run(ctx context.Context, o Options) (contest.Snapshot, error) {
	return run(ctx, o, tea.WithAltScreen())
}

func run(ctx context.Context, o Options, program ...tea.ProgramOption) (result contest.Snapshot, err error) {
	ready, cancel := context.WithTimeout(ctx, setUp)
	defer cancel()
	b, err := backend.Open(ready, o.Target, o.TTL)
	if err != nil {
		return result, err
	}
	defer func() {
		if closed := b.Close(); err == nil {
			err = closed
		}
	}()
	c, err := prepare(ready, b, o)
	if err != nil {
		return result, err
	}
	s := stage{Options: o, name: b.Name, contest: c, program: program}
	if err := s.perform(ctx); err != nil {
		return result, err
	}
	result = c.Snapshot()
	if result.Increments == 0 && result.LastErr != nil {
		return result, fmt.Errorf("%s: no worker got the lock: %w", b.Name, result.LastErr)
	}
	return result, s.writeVerdict(result)
}

// prepare connects the workers and tries the lock.
func prepare(ctx context.Context, b *backend.Backend, o Options) (*contest.Contest, error) {
	var lockers []lock.Locker
	for range o.Workers {
		l, err := b.Connect(ctx)
		if err != nil {
			return nil, err
		}
		lockers = append(lockers, l)
	}
	cfg := contest.Config{Duration: o.Duration, NoLock: o.NoLock}
	if b.Counts {
		cfg.Traffic = b.Traffic
	}
	c := contest.New(cfg, lockers)
	if o.NoLock {
		return c, nil
	}
	err := c.Probe(ctx)
	if errors.Is(err, lock.ErrNotAcquired) && errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s: somebody else holds the lock %q: %w", b.Name, contest.Key, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	return c, nil
}

// stage is a contest and how it is shown.
type stage struct {
	Options
	name    string
	contest *contest.Contest
	program []tea.ProgramOption // of the live view
}

// perform runs the contest and shows it.
func (s *stage) perform(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.contest.Run(ctx)
	}()
	// Whatever ends the show, the workers release what they hold.
	defer func() { cancel(); <-over }()
	if !s.Live {
		return s.writeProgress(over)
	}
	return s.showLive(over, cancel)
}
