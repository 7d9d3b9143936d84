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

// TestRunEscapes writes names with control characters, and colours, to the output.
func TestRunEscapes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"plain\tä走\n", "plain\tä走\n"},
		{"a \x1b[2J\x1b]0;title\a name\r\b\u009b5n", `a \x1b[2J\x1b]0;title\x07 name\x0d\x08\x9b5n`},
		{"\x1b[48;5;27;38;5;231mB2\x1b[0m \x1b[3A", "\x1b[48;5;27;38;5;231mB2\x1b[0m " + `\x1b[3A`},
	} {
		var stdout, stderr strings.Builder
		status := cli.Run("eval", &stdout, &stderr, func(stdout io.Writer) error {
			n, err := io.WriteString(stdout, test.text)
			if n != len(test.text) {
				t.Errorf("%q: %d bytes are written", test.text, n)
			}
			return err
		})
		if status != cli.Done || stdout.String() != test.want {
			t.Errorf("%q: status %d, %q; want %q", test.text, status, stdout.String(), test.want)
		}
	}
	// A character can be split over two writes.
	var stdout strings.Builder
	cli.Run("eval", &stdout, io.Discard, func(w io.Writer) error {
		for _, b := range []byte("走\x00") {
			w.Write([]byte{b})
		}
		return nil
	})
	if stdout.String() != `走\x00` {
		t.Errorf("byte by byte: %q", stdout.String())
	}
}

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
