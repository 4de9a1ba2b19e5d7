package holdertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// variable holds an assignment, as JSON, in the environment of a holder.
const variable = "LOCKSTEP_TEST_HOLDER"

// assignment is what a holder is started for.
type assignment struct {
	Key  string
	Args []string
}

// Grant is what a holder was granted.
type Grant struct {
	Owner string
	Token lock.Token
	// Fenced says whether there is a token.
	Fenced bool
}

// Outcome is what has become of a holder that was told to go on.
type Outcome struct {
	// Refused: the resource refused the write that it made before it looked at
	// its lease. A holder without a token writes nothing.
	Refused bool
	// Ended is what Err of the lease says; Lost and Expired tell whether it is
	// lock.ErrLost or lock.ErrSessionExpired.
	Ended         string
	Lost, Expired bool
	// Release is what Release returned; NotHeld tells whether it is
	// lock.ErrNotHeld.
	Release string
	NotHeld bool
}

// RunIfHolder does nothing in an ordinary run of the tests. In a process that
// [Start] has started it opens a lock, with the arguments that Start was given,
// holds it, and ends the process.
func RunIfHolder(open func(ctx context.Context, args []string) (lock.Locker, error)) {
	text, isHolder := os.LookupEnv(variable)
	if !isHolder {
		return
	}
	var a assignment
	err := json.Unmarshal([]byte(text), &a)
	if err == nil {
		err = hold(context.Background(), a, open)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "holder:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func hold(ctx context.Context, a assignment, open func(context.Context, []string) (lock.Locker, error)) error {
	locker, err := open(ctx, a.Args)
	if err != nil {
		return err
	}
	lease, err := locker.Acquire(ctx, a.Key)
	if err != nil {
		return err
	}
	g := Grant{Owner: lease.Owner()}
	g.Token, g.Fenced = lease.Token()
	return goOn(ctx, newLine(os.Stdin, os.Stdout), g, lease)
}

// goOn does what a program does that was stopped between two instructions: it
// writes first and looks at its lease afterwards.
func goOn(ctx context.Context, parent line, g Grant, lease lock.Lease) error {
	if err := parent.say(g); err != nil {
		return err
	}
	var o Outcome
	if err := parent.hear(&struct{}{}); err != nil { // the word to go on
		return err
	}
	if g.Fenced {
		if err := errors.Join(parent.say(g.Token), parent.hear(&o.Refused)); err != nil {
			return err
		}
	}
	<-lease.Done()
	ended, release := lease.Err(), lease.Release(ctx)
	o.Ended, o.Release = fmt.Sprint(ended), fmt.Sprint(release)
	o.Lost, o.Expired = errors.Is(ended, lock.ErrLost), errors.Is(ended, lock.ErrSessionExpired)
	o.NotHeld = errors.Is(release, lock.ErrNotHeld)
	return parent.say(o)
}

// line is how the two processes talk: in JSON, through pipes.
type line struct {
	in  *json.Decoder
	out *json.Encoder
}

func newLine(in io.Reader, out io.Writer) line {
	return line{json.NewDecoder(in), json.NewEncoder(out)}
}

func (l line) say(message any) error { return l.out.Encode(message) }

func (l line) hear(message any) error { return l.in.Decode(message) }
