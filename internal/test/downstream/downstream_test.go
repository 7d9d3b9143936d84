// Package downstream_test builds a program in a module of its own that depends on this
// module, as docs/using-as-a-module.md describes.
package downstream_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"marsgym/internal/test/fulltest"
)

const mod = `module example.org/outside

go 1.26

require marsgym v0.0.0

replace marsgym => ROOT
`

const program = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/pig"
	"marsgym/env/tabular"
	"marsgym/eval"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

func main() {
	ctx := context.Background()
	rules, err := pig.New(pig.Config{Players: 2, Target: 10})
	if err != nil {
		log.Fatal(err)
	}
	if err := gametest.Check[pig.State](rules); err != nil {
		log.Fatal(err)
	}
	if _, err := tabular.Solve[pig.State](ctx, rules, tabular.Options{}); err != nil {
		log.Fatal(err)
	}
	g := env.NewGame[pig.State](rules)
	cfg := train.DefaultConfig(train.AlgorithmPPO)
	cfg.Steps, cfg.Rows = 10_000, 64
	if _, err := train.Run(ctx, cfg, train.Options{Game: g, Dir: os.Args[1], Learner: gorgonia.New, Backend: "gorgonia"}); err != nil {
		log.Fatal(err)
	}
	a, err := agents.Open(ctx, os.Args[1], agents.Options{Game: g})
	if err != nil {
		log.Fatal(err)
	}
	s, err := g.Solve(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	e, err := eval.NewExactEvaluator(g, s)
	if err != nil {
		log.Fatal(err)
	}
	p, err := e.Strength(ctx, a)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(catalog.IDs()) > 0, p.Win > 0 && p.Win <= 0.5, e != nil && game.Terminal < 0)
}
`

// TestDownstream builds and runs the program with the replace directive and the sums of
// this module.
func TestDownstream(t *testing.T) {
	fulltest.Gate(t)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": strings.ReplaceAll(mod, "ROOT", strconv.Quote(root)), "go.sum": string(sums), "main.go": program,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	folder := filepath.Join(dir, "run")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := run("run", ".", folder); got != "true true true\n" {
		t.Errorf("the program printed %q", got)
	}
}
