package script

import (
	"slices"
	"strings"
)

// verb is one thing that a client can do.
type verb struct {
	name, summary, example string

	args   []arg    // what must follow, in order
	assign bool     // the single argument has the form NAME=VALUE
	opts   []string // NAME=VALUE, each at most once; see optionTypes
	either []string // options that exclude one another
	flags  []string
	tries  bool // asks for the lock: a step after a refusal is skipped up to here
	last   bool // the client does nothing after it
}

// arg is an argument of a verb.
type arg struct {
	name string
	typ  Type
}

// optionTypes are the types of the options that are no durations.
var optionTypes = map[string]Type{
	"on": typeLock,
	"by": typeText,
}

func optionType(name string) Type {
	if t, ok := optionTypes[name]; ok {
		return t
	}
	return TypeDuration
}

var verbs = []verb{
	{name: "acquire", tries: true,
		opts: []string{"on", "ttl", "lease", "timeout"}, either: []string{"ttl", "lease"}, flags: []string{"read", "write"},
		summary: "wait for the lock, for timeout at most; read and write are the modes of a read-write lock; on names the lock where it is not the first one; ttl is the time to live of this lease, " +
			"lease the same without renewal",
		example: "acquire ttl=5s timeout=1s"},
	{name: "try", tries: true,
		opts: []string{"on", "ttl", "lease"}, either: []string{"ttl", "lease"}, flags: []string{"read", "write"},
		summary: "ask for the lock once",
		example: "at 100ms try"},
	{name: "release", opts: []string{"on"}, flags: []string{"read", "write"},
		summary: "give the lock back: the latest grant of it",
		example: "release"},
	{name: "latch", args: []arg{{"N", TypeInteger}}, opts: []string{"on"},
		summary: "make a latch that opens after N calls of count-down",
		example: "latch 3"},
	{name: "count-down", opts: []string{"on"},
		summary: "count a latch down by one",
		example: "count-down"},
	{name: "await", opts: []string{"on", "timeout"},
		summary: "wait until the latch is open, for timeout at most",
		example: "await timeout=1s"},
	{name: "close",
		summary: "close the client's session in order, as a process does that shuts down",
		example: "close"},
	{name: "renew",
		summary: "prolong the lease by hand",
		example: "at 1100ms renew"},
	{name: "work", args: []arg{{"D", TypeDuration}}, flags: []string{"until-lost", "fail"},
		summary: "work under the lock; with until-lost, stop when the lease ends, which fails the work; " +
			"with fail, the work fails at its end and the client goes on with its next step",
		example: "work 400ms until-lost"},
	{name: "do", args: []arg{{"D", TypeDuration}}, opts: []string{"on"}, flags: []string{"fail"}, tries: true,
		summary: "lock.Do: acquire, work, and release whatever happens; with fail, the work fails",
		example: "do 400ms fail"},
	{name: "read", args: []arg{{"NAME", typeResource}},
		summary: "read the value of a resource",
		example: "read stock"},
	{name: "write", args: []arg{{"NAME", typeResource}}, assign: true,
		summary: "write a value to a resource, with the fencing token if the lease has one",
		example: "write stock=0"},
	{name: "take", args: []arg{{"NAME", typeResource}},
		summary: "make a resource one less if the value that was read last is above zero",
		example: "take stock"},
	{name: "change", args: []arg{{"NAME", typeResource}}, assign: true,
		summary: "add a number to a resource, in the way that the resource has for it; a row of a database is read, computed and written",
		example: "change stock=-1"},
	{name: "like",
		summary: "the service of impl/likes counts a like, as the parameter defence says; all presses are of one person for one post, and one request",
		example: "like"},
	{name: "lock-and-like", tries: true,
		summary: "the service takes the lock itself, in the order that the parameter order says, and counts a like in a transaction",
		example: "lock-and-like"},
	{name: "press", args: []arg{{"POST", typeText}, {"D", TypeDuration}}, opts: []string{"by"}, tries: true,
		summary: "a function behind lock.Guard: a user likes a post, which takes so long; by names the user, who is the client itself otherwise; the parameter key-per tells how the key is made of both",
		example: "press 7 20ms by=ann"},
	{name: "clean-up", args: []arg{{"D", TypeDuration}},
		summary: "delete the rows of locks that have been free or expired for that long, where the kind of lock has a job for it",
		example: "clean-up 1m"},
	{name: "buy", args: []arg{{"NAME", typeResource}},
		opts: []string{"work", "wait", "retry"}, either: []string{"work", "retry"},
		flags: []string{"nowait", "in-one", "one-answer"},
		summary: "take one of a stock in a transaction that locks its row, waiting for it for 3s, or as long as wait says, or not at all; " +
			"with work, work that long before the commit; with retry, try again after that time while the row is busy; " +
			"in-one is one statement with a condition, one-answer does not tell why there was none",
		example: "buy stock retry=50ms nowait"},
	{name: "move", args: []arg{{"NAME", typeResource}, {"NAME", typeResource}}, opts: []string{"wait"}, flags: []string{"call-order"},
		summary: "move one from a stock to another, with both rows locked in the order of their names; with call-order, in the order of the step",
		example: "move stock stock"},
	{name: "take-coupons", args: []arg{{"N", TypeInteger}}, opts: []string{"wait"}, flags: []string{"nowait", "skip-locked"},
		summary: "take up to N coupons, the oldest that nobody has taken; with skip-locked, that nobody is taking",
		example: "take-coupons 1 skip-locked"},
	{name: "claim", opts: []string{"on"},
		summary: "look for the row of the lock's name with FOR UPDATE and insert it, with the client in it, where there is none",
		example: "claim"},
	{name: "fail", last: true,
		summary: "the work fails: the client forgets the lock and does nothing more; its process lives on",
		example: "fail"},
	{name: "exit", last: true,
		summary: "the process ends in order, with everything that runs in it",
		example: "exit"},
	{name: "crash", last: true,
		summary: "the process dies where it stands",
		example: "crash"},
}

// Verbs are the steps of clients.
func Verbs() []Entry {
	out := make([]Entry, len(verbs))
	for i, v := range verbs {
		out[i] = Entry{Name: v.name, Args: v.usage(), Summary: v.summary, Example: v.example}
	}
	return out
}

func findVerb(name string) (verb, bool) {
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == name })
	if i < 0 {
		return verb{}, false
	}
	return verbs[i], true
}

// usage is what the reference shows behind the verb.
func (v verb) usage() string {
	var parts []string
	for _, a := range v.args {
		if v.assign {
			parts = append(parts, a.name+"=VALUE")
		} else {
			parts = append(parts, a.name)
		}
	}
	for _, o := range v.opts {
		parts = append(parts, "["+o+"="+optionType(o).placeholder()+"]")
	}
	for _, f := range v.flags {
		parts = append(parts, "["+f+"]")
	}
	return strings.Join(parts, " ")
}

// Outcomes are what a step of a client can end with.
func Outcomes() []Entry {
	return []Entry{
		{Name: "ok", Summary: "it did what it was asked to"},
		{Name: "not-acquired", Summary: "the lock was not granted"},
		{Name: "not-held", Summary: "the lock was no longer the client's (lock.ErrNotHeld)"},
		{Name: "failed", Summary: "the work failed, as it was told to"},
		{Name: "lost", Summary: "the lease ended during the work"},
		{Name: "rejected", Summary: "the resource refused an old token"},
		{Name: "sold-out", Summary: "the take found nothing to take"},
		{Name: "already", Summary: "it had been done before (likes.ErrAlready)"},
		{Name: "conflict", Summary: "the row has changed since it was read (sqllock.ErrConflict)"},
		{Name: "busy", Summary: "the row was locked by another transaction (rowlock.ErrBusy)"},
		{Name: "timeout", Summary: "the wait for a row was too long (rowlock.ErrWaitTimeout)"},
		{Name: "deadlock", Summary: "the database undid the transaction as the victim of a deadlock"},
		{Name: "duplicate", Summary: "a unique index refused the row"},
		{Name: "refused", Summary: "nothing more was said"},
		{Name: "unknown", Summary: "the outcome could not be found out (lock.ErrUnknownOutcome)"},
		{Name: "skipped", Summary: "not done, because the lock was not granted before"},
		{Name: "waiting", Summary: "not ended when the run did"},
		{Name: "error", Summary: "any other error, such as a lost connection"},
	}
}
