// Package fulltest tells tests how much to check.
//
// Long tests are left to .ci/run, and tests that go through whole games, or play many, take
// a sample. The environment variable MARSGYM_FULL asks for more:
//
//	go test ./...                                  # what a person runs between two edits
//	MARSGYM_FULL=gate go test -timeout 1h ./...    # the long tests too, as .ci/run does
//	MARSGYM_FULL=1 go test -timeout 1h ./...       # and no samples: everything
package fulltest

import (
	"os"
	"testing"
)

const variable = "MARSGYM_FULL"

// On reports whether tests check everything.
func On() bool { return os.Getenv(variable) == "1" }

// Gate skips a long test, unless MARSGYM_FULL is gate or On holds.
func Gate(t testing.TB) {
	t.Helper()
	if os.Getenv(variable) != "gate" && !On() {
		t.Skipf("takes long; %s=gate go test -run '^%s$' runs it, and .ci/run does", variable, t.Name())
	}
}

// Sample skips test i of a list, unless i is a multiple of n or On holds.
func Sample(t testing.TB, i, n int) {
	t.Helper()
	if i%n != 0 && !On() {
		t.Skip("not in the sample; MARSGYM_FULL=1 tests it")
	}
}
