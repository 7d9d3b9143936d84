// Package fulltest tells tests whether to check everything.
//
// Tests that go through whole games, or play many, take a sample by default.
// With the environment variable MARSGYM_FULL set to 1 they leave nothing out:
//
//	MARSGYM_FULL=1 go test -timeout 30m ./...
package fulltest

import "os"

// On reports whether tests check everything.
func On() bool { return os.Getenv("MARSGYM_FULL") == "1" }
