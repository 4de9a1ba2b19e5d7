//go:build !unix

package rowlock_test

// holderTests need signals.
var holderTests suite
