package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNoServer checks that only cmd/worker links the broker.
func TestNoServer(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".", "../eval", "../play", "../solve").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "github.com/nats-io/nats.go\n") {
		t.Error("cmd/train does not link the client")
	}
	for pkg := range strings.Lines(string(out)) {
		if strings.Contains(pkg, "nats-server") || strings.Contains(pkg, "marsgym/internal/broker") {
			t.Errorf("a command links %s", pkg)
		}
	}
	if out, err = exec.Command("go", "list", "-deps", "../play", "../solve").Output(); err != nil || strings.Contains(string(out), "nats-io") {
		t.Errorf("cmd/play or cmd/solve link NATS, or %v", err)
	}
}
