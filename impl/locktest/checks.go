package locktest

// checks are all rules, in the order of their difficulty.
var checks = []check{
	{"a lease from grant to release", nil, oneLease},
	{"every grant has an owner of its own", nil, owners},
	{"a held lock is refused, and other keys are not", nil, exclusion},
	{"one of two releases of a lease succeeds", nil, releaseTwice},
	{"requests that cannot be are invalid", nil, invalidRequests},
	{"a release lets a waiter in", nil, handOver},
	{"the context bounds the waiting and not the hold", nil, contextOfAcquire},
	{"a wait that is cancelled leaves nothing", nil, cancelledWait},
	{"a context that has ended acquires nothing", nil, endedContext},
	{"one holder at a time under contention", nil, contention},
	{"renewal keeps a lease", nil, renewal},
	{"a lease without renewal ends in time", timed, expiry},
	{"a late release does not free the successor", timed, lateRelease},
	{"a crashed holder is succeeded", nil, crashedHolder},
	{"a crashed waiter is passed over", nil, crashedWaiter},
	{"tokens grow", func(c Capabilities) bool { return c.Fencing }, tokens},
	{"no token where none is promised", func(c Capabilities) bool { return !c.Fencing }, noTokens},
	{"waiters are served in order", func(c Capabilities) bool { return c.Fair }, order},
	{"an owner enters again", func(c Capabilities) bool { return c.Reentrant }, reentry},
	{"goroutines end with their leases", nil, goroutines},
}

func timed(c Capabilities) bool { return !c.SessionBound && !c.Unbounded }
