// In package main, which cannot be imported.
package main

import (
	"testing"

	"marsgym/internal/cli/clitest"
)

func TestDocs(t *testing.T) { clitest.Docs(t, "worker", run) }
