package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"marsgym/internal/cli"
)

// TestRenamed: the error for each flag of a former release names what it is now, whatever
// stands beside it, and that is a command with such flags.
func TestRenamed(t *testing.T) {
	for former, now := range renamed {
		want := "-" + former + " is now: go run ./cmd/" + now
		if former == "blunders" {
			want = "-blunders has been renamed to -mistakes"
		}
		for _, args := range [][]string{{"-" + former, "9"}, {"-model", "greedy", "-games", "9", "-" + former + "=9", "-json"}} {
			if stdout, stderr, status := command(t, args...); status != cli.Misuse || stdout != "" || !strings.Contains(stderr, want+"\n") {
				t.Errorf("%q: status %d, %s%s; want %s", args, status, stdout, stderr, want)
			}
		}
		for line := range strings.SplitSeq(now, ", or ") {
			words, ok := strings.CutPrefix(strings.NewReplacer("NUMBER", "9", "MARGIN", "0.1").Replace(line), "eval ")
			if !ok {
				continue // of cmd/train, or a flag
			}
			if _, stderr, status := command(t, append(strings.Fields(words), "-h")...); status != cli.Done {
				t.Errorf("%s: status %d, %s", line, status, stderr)
			}
		}
	}
}

// TestScreens: the help of each command fits on a terminal of 80 columns and 24 lines, with the
// prompt below it.
func TestScreens(t *testing.T) {
	calls := [][]string{{"-h"}}
	for _, c := range commands {
		calls = append(calls, []string{c.Name, "-h"})
	}
	for _, args := range calls {
		help := text(t, args...)
		if n := strings.Count(help, "\n"); n > 23 {
			t.Errorf("%q has %d lines:\n%s", args, n, help)
		}
		for line := range strings.Lines(help) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%q: a line has %d columns: %s", args, n, line)
			}
		}
	}
}
