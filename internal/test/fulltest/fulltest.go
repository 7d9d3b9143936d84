// Package fulltest tells tests whether to check everything.
//
// Tests that go through whole games, or play many, take a sample by default.
// With the environment variable MARSGYM_FULL set to 1 they leave nothing out:
//
//	MARSGYM_FULL=1 go test -timeout 1h ./...
package fulltest

import (
	"os"
	"testing"
)

// On reports whether tests check everything.
func On() bool { return os.Getenv("MARSGYM_FULL") == "1" }

// Sample skips test i of a list, unless i is a multiple of n or On holds.
func Sample(t testing.TB, i, n int) {
	t.Helper()
	if i%n != 0 && !On() {
		t.Skip("not in the sample; MARSGYM_FULL=1 tests it")
	}
}
