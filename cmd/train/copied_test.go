package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/models"
	"marsgym/train"
)

// odd names a folder whose name a shell would take apart.
func odd(t *testing.T) string { return filepath.Join(t.TempDir(), `it's $HOME, "a" & b`) }

// TestCopied: the commands that a run and its errors print continue with it when they are copied
// into a shell.
func TestCopied(t *testing.T) {
	t.Parallel()
	dir, cache := odd(t), odd(t)
	status, stdout, stderr := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-cache", cache, "-steps", "2048")
	if status != cli.Done {
		t.Fatal(stderr)
	}
	if got := clitest.Copied(t, "eval", stdout); len(got) != 2 || !slices.Equal(got[0], []string{"-model", dir, "-against", "greedy", "-cache", cache}) || !slices.Equal(got[1], []string{"-model", dir, "-mistakes", "20", "-cache", cache}) {
		t.Errorf("eval is called with %q in\n%s", got, stdout)
	}
	got := clitest.Copied(t, "play", stdout)
	if len(got) != 1 || got[0][0] != "-opponent" || !strings.Contains(got[0][1], `it's $HOME, ""a"" & b`) || !slices.Equal(got[0][2:], []string{"-cache", cache}) {
		t.Errorf("play is called with %q in\n%s", got, stdout)
	}
	// A damaged checkpoint: the command that failed is not printed again.
	for _, name := range []string{train.CheckpointFile, train.MetricsFile} {
		whole := read(t, dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), whole[:len(whole)/2], 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, stderr = command(t, "-resume", dir, "-cache", cache)
		calls := clitest.Copied(t, "train", stderr)
		want := []string{"-config", filepath.Join(dir, train.ConfigFile), "-cache", cache}
		if len(calls) != 1 || !slices.Equal(calls[0], want) {
			t.Fatalf("half of %s: train is called with %q, want %q, in\n%s", name, calls, want, stderr)
		}
		if status, _, errs := command(t, append(calls[0], "-out", odd(t))...); status != cli.Done {
			t.Errorf("half of %s: the printed command: status %d, %s", name, status, errs)
		}
		if err := os.WriteFile(filepath.Join(dir, name), whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The flags of a cluster.
	cluster := []string{"-cluster", "127.0.0.1:1", "-verify", "0.5", "-mixed"}
	c, err := parse(append([]string{"-algorithm", "one-move", "-config", clitest.Config(t, quick), "-cache", cache}, cluster...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat([]string{"-resume", dir}, cluster, []string{"-cache", cache})
	if calls := clitest.Copied(t, "train", c.advise(io.ErrShortWrite, dir).Error()); len(calls) != 1 || !slices.Equal(calls[0], want) {
		t.Errorf("train is called with %q, want %q", calls, want)
	}
}

// TestCopiedSweep moves a damaged run of a sweep away by the printed command, and goes on.
func TestCopiedSweep(t *testing.T) {
	t.Parallel()
	dir, file := odd(t), clitest.Config(t, `{"base": `+strings.Replace(quick, `"steps": 20480`, `"steps": 2048`, 1)+`, "grid": {"train.rows": [64, 128]}}`)
	if status, _, errs := command(t, "-sweep", file, "-out", dir); status != cli.Done {
		t.Fatal(errs)
	}
	checkpoint := filepath.Join(dir, "02-seed-1", train.CheckpointFile)
	if err := os.WriteFile(checkpoint, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := command(t, "-sweep", file, "-out", dir)
	calls := clitest.Copied(t, "train", stderr)
	if status != cli.Failed || len(calls) != 1 || !slices.Equal(calls[0], []string{"-sweep", file, "-out", dir}) || !strings.Contains(stderr, "\tmv "+cli.Argument(filepath.Dir(checkpoint))+" ") {
		t.Fatalf("status %d, %q in\n%s", status, calls, stderr)
	}
	if err := os.Rename(filepath.Dir(checkpoint), filepath.Dir(checkpoint)+".damaged"); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := command(t, calls[0]...); status != cli.Done {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestNoFolder: a file in the place of a folder is called a file.
func TestNoFolder(t *testing.T) {
	file := clitest.Config(t, quick)
	for _, args := range [][]string{{"-resume", file}, {"-out", file}, {"-sweep", file, "-out", file}, {"-resume", filepath.Join(file, "run")}, {"-out", filepath.Join(file, "run")}} {
		status, _, errs := command(t, args...)
		if status != cli.Misuse || !strings.Contains(errs, "it is a file; want a folder") && !strings.Contains(errs, "not a directory; want a folder") {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
	status, _, errs := command(t, "-out", t.TempDir())
	if status != cli.Misuse || !strings.Contains(errs, "choose another -out") || strings.Contains(errs, "-resume") {
		t.Errorf("a folder that is no run: status %d, %s", status, errs)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("runs", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := command(t); status != cli.Failed || !strings.Contains(errs, "name another place for the run with -out") {
		t.Errorf("without a place for runs: status %d, %s", status, errs)
	}
}

// TestLine: a line about an iteration fits into terminals of 40 to 200 columns, and loses nothing.
func TestLine(t *testing.T) {
	m := train.Metrics{Seconds: 12345, Exact: &models.Exact{WinFirst: 0.5, WinSecond: 0.49, Exploitability: 0.00234}}
	m.Steps = 1_833_587_000
	m.Entropy.Add(0.5123)
	line := func(m train.Metrics, columns int) string {
		var p progress
		p.add(m)
		return p.line(m, columns)
	}
	whole := line(m, 0)
	if strings.Contains(whole, "\n") || line(m, 200) != whole {
		t.Errorf("in one line:\n%s", whole)
	}
	for columns := 40; columns <= 200; columns++ {
		got := line(m, columns)
		for part := range strings.Lines(got) {
			if len(strings.TrimSuffix(part, "\n")) >= columns {
				t.Errorf("%d columns:\n%s", columns, got)
			}
		}
		if !slices.Equal(strings.Fields(got), strings.Fields(whole)) {
			t.Errorf("%d columns:\n%s; want all of %s", columns, got, whole)
		}
	}
}
