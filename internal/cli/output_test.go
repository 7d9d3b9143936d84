package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"marsgym/internal/cli"
)

// full is a device without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestRunReportsFailedWrites(t *testing.T) {
	for _, test := range []struct {
		name   string
		then   func(written error) error
		stderr string
	}{
		{"ignored", func(error) error { return nil }, "eval: standard output: no space left on device\n"},
		{"returned", func(err error) error { return fmt.Errorf("answer: %w", err) }, "eval: answer: no space left on device\n"},
		{"another error", func(error) error { return errors.New("no such file") }, "eval: no such file\neval: standard output: no space left on device\n"},
		{"interrupted", func(error) error { return context.Canceled }, "eval: interrupted\neval: standard output: no space left on device\n"},
	} {
		var stderr strings.Builder
		status := cli.Run("eval", full{}, &stderr, func(stdout io.Writer) error {
			_, err := fmt.Fprintln(stdout, "the answer")
			return test.then(err)
		})
		if status != cli.Failed || stderr.String() != test.stderr {
			t.Errorf("%s: status %d, %q; want %d, %q", test.name, status, stderr.String(), cli.Failed, test.stderr)
		}
	}
}
