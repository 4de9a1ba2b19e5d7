package engine

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	defaultBase           = "/lockstep"
	defaultRequestTimeout = 3 * time.Second

	// retryPause is the time between a request that was not answered and the
	// next one. The client waits for its connection within each.
	retryPause = 50 * time.Millisecond

	// maxKey is far above any sensible name and, escaped, far below what a
	// server takes for a path.
	maxKey = 1024
)

// Config has the fields of zklock.Config, which is converted to it and has the
// documentation.
type Config struct {
	Clock          clock.Clock
	Base           string
	RequestTimeout time.Duration
	NewOwner       func() string
}

// WithDefaults fills in what is zero and refuses what cannot work.
func (c Config) WithDefaults() (Config, error) {
	c.Clock = clock.Or(c.Clock)
	if c.Base == "" {
		c.Base = defaultBase
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = defaultRequestTimeout
	}
	if c.NewOwner == nil {
		c.NewOwner = newOwner
	}
	if c.RequestTimeout < 0 {
		return c, fmt.Errorf("%w: RequestTimeout %v is negative", lock.ErrInvalid, c.RequestTimeout)
	}
	return c, checkBase(c.Base)
}

// checkBase allows what every server takes: plain elements, none of them empty.
func checkBase(base string) error {
	if !strings.HasPrefix(base, "/") {
		return fmt.Errorf("%w: base path %q does not begin with a slash", lock.ErrInvalid, base)
	}
	for element := range strings.SplitSeq(base[1:], "/") {
		if element == "" || element != Escape(element) {
			return fmt.Errorf("%w: base path %q has an element %q that is empty or has characters other than letters, digits and -_.:~@",
				lock.ErrInvalid, base, element)
		}
	}
	return nil
}

// newOwner makes 128 random bits, in the form in which go-zookeeper has them in
// the names of its protected nodes.
func newOwner() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
