package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/internal/cli"
	"marsgym/train"
)

// TestResumeChangedConfig resumes a finished run under changed configs, and then with
// one changed setting that may change.
func TestResumeChangedConfig(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if status, _, errs := command(t, "-config", write(t, quick), "-out", dir, "-steps", "4096"); status != cli.Done {
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
			if status != cli.Failed || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("status %d, %q; want one line with %q", status, errs, want)
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
	if err := os.Symlink(write(t, quick), config); err != nil {
		t.Skip("no links here:", err)
	}
	if status, _, errs := command(t, "-resume", dir); status != cli.Failed || !strings.Contains(errs, config+" is a link, not a regular file") {
		t.Errorf("status %d, %s", status, errs)
	}
}
