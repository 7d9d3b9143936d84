// Package clitest holds what the tests of the commands share.
package clitest

import (
	"fmt"
	"os"
	"testing"
)

// Main runs the tests of a command with their own cache folder, so that they
// neither read solutions from the user's cache folder nor write any there. Call it
// from TestMain. After the tests it calls the functions in end.
func Main(m *testing.M, end ...func()) {
	dir, err := os.MkdirTemp("", "marsgym")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	status := m.Run()
	for _, f := range end {
		f()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}
