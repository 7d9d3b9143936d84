package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/train"
	"marsgym/train/sweep"
)

// TestResumeChangedConfig resumes a finished run under changed configs, and then with
// one changed setting that may change.
func TestResumeChangedConfig(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if status, _, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir, "-steps", "4096"); status != cli.Done {
		t.Fatal(errs)
	}
	config, model := filepath.Join(dir, train.ConfigFile), read(t, dir, agents.ModelFile)
	text := read(t, config)
	change := func(old, new string) {
		t.Helper()
		changed := bytes.Replace(text, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("%s is not in\n%s", old, text)
		}
		if err := os.WriteFile(config, changed, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for old, new := range map[string]string{`"minibatch": 256`: `"minibatch": 512`, `"target": 6`: `"target": 7`} {
		change(old, new)
		status, _, errs := command(t, "-resume", dir)
		field, was, _ := strings.Cut(strings.ReplaceAll(old, `"`, ""), ": ")
		_, is, _ := strings.Cut(new, ": ")
		for _, want := range []string{"." + field + " was " + was + " and is " + is + ";", "go run ./cmd/train -config " + cli.Argument(config)} {
			if status != cli.Misuse || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 2 {
				t.Errorf("status %d, %q; want one line with %q, and one about the help", status, errs, want)
			}
		}
	}
	if !bytes.Equal(read(t, dir, agents.ModelFile), model) {
		t.Error("the model has changed")
	}
	change(`"checkpoints": 10`, `"checkpoints": 20`)
	if status, _, errs := command(t, "-resume", dir); status != cli.Done {
		t.Errorf("saved more often: status %d, %s", status, errs)
	}
}

// TestResumeLinkedConfig replaces the config by a link.
func TestResumeLinkedConfig(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, train.ConfigFile)
	if err := os.Symlink(clitest.Config(t, quick), config); err != nil {
		t.Skip("no links here:", err)
	}
	if status, _, errs := command(t, "-resume", dir); status != cli.Failed || !strings.Contains(errs, config+" is a link, not a regular file") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestPipe: settings may come from a pipe, which is read once. A stopped sweep goes on from its
// copy.
func TestPipe(t *testing.T) {
	t.Parallel()
	pipe := func(text string) string {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		w.Close()
		path := fmt.Sprintf("/dev/fd/%d", r.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		return path
	}
	dir := filepath.Join(t.TempDir(), "run")
	if status, _, errs := command(t, "-config", pipe(quick), "-out", dir, "-steps", "1024"); status != cli.Done {
		t.Errorf("status %d, %s", status, errs)
	}
	if status, _, errs := command(t, "-config", pipe("{\n1}"), "-out", dir); status != cli.Misuse || !strings.Contains(errs, "line 2, column 1: ") {
		t.Errorf("status %d, %s", status, errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	stopping := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("runs of")) {
			cancel()
		}
		return out.Write(b)
	})
	dir = filepath.Join(t.TempDir(), "sweep")
	status := run(ctx, []string{"-sweep", pipe(quickSweep), "-out", dir}, nil, stopping, &errs)
	if want := "-sweep " + cli.Argument(filepath.Join(dir, sweep.File)) + " -out " + cli.Argument(dir); status != cli.Interrupted || !strings.Contains(out.String(), want) {
		t.Errorf("status %d, want the line %q:\n%s%s", status, want, out.String(), errs.String())
	}
}

// TestRenamedFolder renames the folder of a run while that trains: the run is saved there, and the
// line to go on names it.
func TestRenamedFolder(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	before, after := filepath.Join(base, "before"), filepath.Join(base, "after")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	renaming := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("exploitability")) && ctx.Err() == nil {
			if err := os.Rename(before, after); err != nil {
				t.Error(err)
			}
			cancel()
		}
		return errs.Write(b)
	})
	status := run(ctx, []string{"-config", clitest.Config(t, quick), "-out", before}, nil, &out, renaming)
	if want := "go run ./cmd/train -resume " + cli.Argument(after) + "\n"; status != cli.Interrupted || !strings.Contains(out.String(), want) {
		t.Fatalf("status %d, want the line %q:\n%s%s", status, want, out.String(), errs.String())
	}
	if status, _, errs := command(t, "-resume", after); status != cli.Done {
		t.Error(errs)
	}
}

// TestMemoryLimit: the limit of memory holds for the exact solution too, which takes half a GiB.
func TestMemoryLimit(t *testing.T) {
	config := clitest.Config(t, `{"game": "pig", "train": {"algorithm": "ppo", "hidden": [16], "rows": 32, "ppo": {"horizon": 16, "minibatch": 256}, "steps": 4096, "memory": 0.05}}`)
	status, out, errs := command(t, "-config", config, "-out", filepath.Join(t.TempDir(), "run"))
	if status != cli.Failed || !strings.Contains(errs, "out of memory: more than the 0.05 GiB that train.memory allows; lower ") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

// TestAdvise: a run that could not save its first checkpoint offers no checkpoint to go on from.
func TestAdvise(t *testing.T) {
	dir, c := t.TempDir(), &call{}
	full := errors.New("no space left on device")
	if text := c.advise(full, dir).Error(); !strings.Contains(text, "there is no checkpoint yet; to begin the run again:\n\n\tgo run ./cmd/train -resume "+cli.Argument(dir)) {
		t.Error(text)
	}
	if err := os.WriteFile(filepath.Join(dir, train.CheckpointFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if text := c.advise(full, dir).Error(); !strings.Contains(text, "to go on from the last checkpoint:") {
		t.Error(text)
	}
}
