// In package main, which cannot be imported.
package main

import (
	"testing"

	"marsgym/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, func() {
		if shared.close != nil {
			shared.close()
		}
	})
}

func TestDocs(t *testing.T) { clitest.Docs(t, "web", run) }
