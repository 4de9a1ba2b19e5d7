package redislock

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// redlock implements engine.Protocol over several servers.
type redlock struct {
	nodes   []mutex.Protocol
	clk     clock.Clock
	poll    time.Duration
	timeout time.Duration
}

func (p *redlock) quorum() int { return len(p.nodes)/2 + 1 }

// Grant asks all servers. What it got from a minority it gives back at once.
func (p *redlock) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	v := p.ask(ctx, c, func(n mutex.Protocol, c engine.Claim) (bool, error) {
		out, err := n.Grant(ctx, c)
		return out.Granted, err
	})
	switch {
	case v.yes >= p.quorum():
		return engine.Outcome{Granted: true}, nil
	case ctx.Err() != nil:
		return engine.Outcome{}, ctx.Err()
	case v.yes+v.no < p.quorum():
		return engine.Outcome{}, v.failure(ctx, p.quorum()) // whoever asked cleans up
	}
	// What a server keeps that cannot be reached ends with its TTL. It is in
	// nobody's way as long as a majority can be reached.
	_, _ = p.Release(context.WithoutCancel(ctx), c)
	return engine.Outcome{}, nil
}

// Renew needs the majority of those that granted it to do it again.
func (p *redlock) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	return p.byQuorum(ctx, c, func(n mutex.Protocol, c engine.Claim) (bool, error) { return n.Renew(ctx, c) })
}

// Release is sent to all servers.
func (p *redlock) Release(ctx context.Context, c engine.Claim) (bool, error) {
	return p.byQuorum(ctx, c, func(n mutex.Protocol, c engine.Claim) (bool, error) { return n.Release(ctx, c) })
}

// byQuorum reports true if a majority did it, false if none can have done it,
// and an error if that depends on those that did not answer.
func (p *redlock) byQuorum(
	ctx context.Context, c engine.Claim, f func(mutex.Protocol, engine.Claim) (bool, error),
) (bool, error) {
	v := p.ask(ctx, c, f)
	switch {
	case v.yes >= p.quorum():
		return true, nil
	case v.yes+len(v.errs) >= p.quorum():
		return false, v.failure(ctx, p.quorum())
	}
	return false, nil
}

// votes are the answers of all servers to one question.
type votes struct {
	yes, no int
	errs    []error
}

// ask puts one question to all servers at the same time, and waits until each of
// them has answered or its time is over: a request that is still under way could
// be carried out after the one that undoes it.
func (p *redlock) ask(
	ctx context.Context, c engine.Claim, f func(mutex.Protocol, engine.Claim) (bool, error),
) votes {
	c.Timeout = p.nodeTimeout(c.TTL)
	yes := make([]bool, len(p.nodes))
	errs := make([]error, len(p.nodes))
	answered := make([]clock.Event, len(p.nodes))
	for i, n := range p.nodes {
		done := p.clk.NewEvent()
		answered[i] = done
		p.clk.Go(func() {
			defer done.Set()
			yes[i], errs[i] = f(n, c)
		})
	}
	var v votes
	for i, done := range answered {
		// No limit is needed: the request has one.
		_ = done.Wait(context.WithoutCancel(ctx), clock.NoLimit)
		switch {
		case errs[i] != nil:
			v.errs = append(v.errs, fmt.Errorf("server %d: %w", i+1, errs[i]))
		case yes[i]:
			v.yes++
		default:
			v.no++
		}
	}
	return v
}

// nodeTimeout bounds the request to one server. See [NewRedlock].
func (p *redlock) nodeTimeout(ttl time.Duration) time.Duration {
	if p.timeout > 0 {
		return min(p.timeout, ttl/3)
	}
	return min(max(ttl/nodeShare, minNodeTimeout), maxNodeTimeout, ttl/3)
}

// Remaining is a random time around the poll interval. The randomness is that of
// the owner and of the clock, so that it needs no source of its own.
func (p *redlock) Remaining(_ context.Context, c engine.Claim, _ engine.Outcome) (time.Duration, error) {
	h := fnv.New64a()
	fmt.Fprint(h, c.Owner, p.clk.Now().UnixNano())
	return p.poll/2 + time.Duration(h.Sum64()%uint64(p.poll)), nil
}

// quorumError says that too few servers answered. It does not unwrap to their
// errors: what one of them proves about its own server, such as that a request
// was never sent, would be taken to hold for all.
type quorumError struct {
	votes
	quorum int
	// ctx is the error of the caller's context, if it has ended.
	ctx error
}

func (v votes) failure(ctx context.Context, quorum int) error {
	return &quorumError{v, quorum, ctx.Err()}
}

// Unwrap returns the error of the caller's context, or nil.
func (e *quorumError) Unwrap() error { return e.ctx }

// Error implements error.
func (e *quorumError) Error() string {
	causes := make([]string, len(e.errs))
	for i, err := range e.errs {
		causes[i] = err.Error()
	}
	return fmt.Sprintf("no majority of the servers answered (%d yes, %d no, %d without an answer, %d needed): %s",
		e.yes, e.no, len(e.errs), e.quorum, strings.Join(causes, "; "))
}
