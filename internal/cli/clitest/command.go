package clitest

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
)

// A Command is the function run of a command. It returns the exit status.
type Command func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

// Run runs the command in this process with input as its standard input. It returns
// what the command wrote, and its exit status.
func (c Command) Run(t *testing.T, input string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs strings.Builder
	status = c(t.Context(), args, strings.NewReader(input), &out, &errs)
	return out.String(), errs.String(), status
}

// Document runs the command with -json and decodes its output, which must be one
// document without fields that v lacks.
func (c Command) Document(t *testing.T, v any, args ...string) {
	t.Helper()
	stdout, stderr, status := c.Run(t, "", append(args, "-json")...)
	if status != cli.Done || stderr != "" {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%q: %v in %s", args, err, stdout)
	}
	if d.More() {
		t.Errorf("%q: more than one document", args)
	}
}

// Config writes text to a new file, such as that of -config or -game-config, and
// returns its path.
func Config(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
