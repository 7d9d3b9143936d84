// In package main, which cannot be imported.
package main

import (
	"context"
	"os"
	"testing"

	"marsgym/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(tableServer); file != "" {
		run(context.Background(), []string{"-game", file, "-listen", "127.0.0.1:0", "-cache", "none"}, os.Stdin, os.Stdout, os.Stderr)
		return
	}
	clitest.Main(m, func() {
		if shared.close != nil {
			shared.close()
		}
	})
}

func TestDocs(t *testing.T) { clitest.Docs(t, "web", run) }
