package engine

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Escape turns a key into one element of a path. Different keys give different
// elements: every byte that is not a plain character is written as a percent
// sign and two hexadecimal digits, and so is the percent sign itself.
func Escape(key string) string {
	if key == "." || key == ".." {
		return strings.ReplaceAll(key, ".", "%2E") // these two are no names
	}
	var b strings.Builder
	for i := range len(key) {
		if c := key[i]; plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func plain(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("-_.:~@", c) >= 0
}

func checkKey(key string) error {
	if key == "" {
		return fmt.Errorf("%w: the key is empty", lock.ErrInvalid)
	}
	if len(key) > maxKey {
		return fmt.Errorf("%w: the key has %d bytes, the limit is %d", lock.ErrInvalid, len(key), maxKey)
	}
	return nil
}
