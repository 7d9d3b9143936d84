package clitest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"syscall"
	"testing"

	"marsgym/internal/cli"
)

// Statuses checks the exit status of a command in all cases that commands share.
// work returns the arguments of one call, for which the command writes an answer to
// standard output; each call may use another folder.
func Statuses(t *testing.T, run Command, work func() []string) {
	t.Helper()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		args   []string
		full   bool // standard output has no free space
		status int
		stderr string
	}{
		{"help", t.Context(), []string{"-h"}, false, cli.Done, ""},
		{"help to a full device", t.Context(), []string{"-h"}, true, cli.Failed, "no space left"},
		{"work", t.Context(), work(), false, cli.Done, ""},
		{"work to a full device", t.Context(), work(), true, cli.Failed, "no space left"},
		{"interrupt", interrupted, work(), false, cli.Interrupted, "interrupted"},
		{"unknown flag", t.Context(), []string{"-no-such-flag"}, false, cli.Misuse, "unknown flag"},
		{"argument", t.Context(), append(work(), "pig"), false, cli.Misuse, "unexpected argument"},
		{"flag twice", t.Context(), []string{"-players", "2", "-players", "3"}, false, cli.Misuse, "-players is given twice"},
		{"empty flag", t.Context(), []string{"-game="}, false, cli.Misuse, "-game is empty"},
		{"no file", t.Context(), []string{"-game-config", "no/such/file"}, false, cli.Misuse, "no/such/file"},
		{"folder", t.Context(), []string{"-game-config", "."}, false, cli.Misuse, "is a directory"},
		{"endless file", t.Context(), []string{"-game-config", "/dev/zero"}, false, cli.Misuse, "is a device, not a regular file"},
	} {
		var out, errs bytes.Buffer
		var stdout io.Writer = &out
		if test.full {
			stdout = full{}
		}
		status := run(test.ctx, test.args, strings.NewReader("quit\n"), stdout, &errs)
		if status != test.status || !strings.Contains(errs.String(), test.stderr) {
			t.Errorf("%s: %q: status %d, %q; want %d and %q", test.name, test.args, status, errs.String(), test.status, test.stderr)
		}
		if status == cli.Done && out.Len() == 0 {
			t.Errorf("%s: %q: nothing on standard output", test.name, test.args)
		}
	}
}

// full is a device without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
