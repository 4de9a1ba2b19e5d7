//go:build !unix

package sqllock_test

// processTests need signals.
var processTests suite
