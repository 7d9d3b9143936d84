// Package clitest is what the tests of the commands share.
package clitest

import (
	"fmt"
	"os"
	"testing"
)

// Main runs the tests of a command with a cache folder of their own, so that
// they neither use nor leave solutions in the user's. Call it from TestMain.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "marsgym")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}
