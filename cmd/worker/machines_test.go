//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"marsgym/internal/test/freeport"
	"marsgym/internal/test/fulltest"
)

// TestThreeMachines follows the steps of docs/cluster.md for three machines, with three
// addresses of this one.
func TestThreeMachines(t *testing.T) {
	fulltest.Gate(t)
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	document, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(document), "## Three machines, step by step")
	text, _, _ = strings.Cut(text, "\n### ")
	addr := freeport.Address(t)
	here := strings.NewReplacer("10.0.0.1:4222", addr, "10.0.0.", "127.0.0.")
	var steps []string
	for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(text, -1) {
		steps = append(steps, here.Replace(block[1]))
	}
	if len(steps) != 6 {
		t.Fatalf("%d code blocks; want 6", len(steps))
	}
	bin, dir := commands(t), t.TempDir()
	t.Chdir(dir)
	if out, err := exec.Command("sh", "-ec", steps[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := func(text string, more ...string) *process {
		t.Helper()
		words := append(strings.Fields(text), more...)
		if len(words) < 3 || words[0] != "go" {
			t.Fatalf("%q is no go run", text)
		}
		return start(t, bin, filepath.Base(words[2]), words[3:]...)
	}
	keys := steps[2]
	for name, in := range map[string]string{"coordinator.key": "UA...", "0.key": "UB...", "1.key": "UC...", "2.key": "UD..."} {
		p := command(strings.Replace(steps[1], "worker.key", name, 1))
		p.wait(t)
		keys = strings.Replace(keys, in, strings.TrimSpace(p.out.String()), 1)
	}
	if err := os.WriteFile("keys", []byte(keys), 0o666); err != nil {
		t.Fatal(err)
	}
	command(strings.Replace(steps[3], "worker.key", "0.key", 1))
	serving(t, addr)
	for m := 1; m <= 2; m++ {
		own := strings.NewReplacer("worker.key", fmt.Sprintf("%d.key", m), "127.0.0.2", fmt.Sprintf("127.0.0.%d", m+1))
		command(own.Replace(steps[4]))
	}
	_, access, _ := strings.Cut(steps[5], " -cluster ")
	match := "go run ./cmd/eval -game mars-is-ours -model greedy -against random -games 40 -json"
	local, remote := command(match), command(match+" -cluster "+access)
	local.wait(t)
	remote.wait(t)
	if local.out.String() != remote.out.String() {
		t.Errorf("the cluster prints\n%s; want\n%s", remote.out.String(), local.out.String())
	}
}
