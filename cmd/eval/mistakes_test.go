// In package main, which cannot be imported.
package main

import (
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestMistakes(t *testing.T) {
	file := clitest.Config(t, reduced)
	var pair pairResult
	document(t, &pair, "-model", "greedy", "-against", "random", "-mistakes", "4", "-game-config", file)
	var exact pairResult
	document(t, &exact, "-model", "greedy", "-game-config", file)
	b := pair.Mistakes
	if b == nil || len(b.Worst) != 4 || exact.Mistakes != nil {
		t.Fatalf("with -mistakes 4 %+v, without %+v", b, exact.Mistakes)
	}
	near(t, "the loss", b.Loss, 0.5-exact.Win, 1e-12) // whatever -against is

	got := text(t, "-model", "greedy", "-mistakes", "4", "-game-config", file)
	for _, want := range []string{"Mistakes of greedy", "in seat 1", "stopped too early", "last round", "of total", b.Worst[3].Position} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := text(t, "-model", "exact", "-mistakes", "4", "-game-config", file); !strings.Contains(got, "mistakes a game               0\n") || strings.Contains(got, "worst") {
		t.Errorf("best play:\n%s", got)
	}

	var seats multiplayerResult
	document(t, &seats, "-model", "random", "-players", "3", "-mistakes", "2", "-game-config", file)
	if b := seats.Mistakes; b == nil || len(b.Worst) != 2 || len(b.LossBySeat) != 3 {
		t.Errorf("for three: %+v", b)
	}
	if got := text(t, "-model", "random", "-players", "3", "-mistakes", "2", "-game-config", file); !strings.Contains(got, "in seat 2") {
		t.Errorf("for three:\n%s", got)
	}
}

func TestMistakesErrors(t *testing.T) {
	for _, tt := range []struct {
		args, config string
		status       int
		want         string
	}{
		{"-model greedy -mistakes -1", reduced, cli.Misuse, "-mistakes is -1"},
		{"table -mistakes 3", reduced, cli.Misuse, "unknown flag -mistakes"},
		{"-model greedy -mistakes 3 -players 1", reduced, cli.Misuse, "Martian Dice for 1 player has no win"},
		{"-model greedy -mistakes 3 -players 3 -games 5", reduced, cli.Misuse, "want one of them"},
		{"-model greedy -mistakes 3", `{"dice": 4, "target": 6, "max_rounds": 1000}`, cli.Failed, "no exact solution"},
	} {
		args := append(strings.Fields(tt.args), "-game-config", clitest.Config(t, tt.config))
		stdout, stderr, status := command(t, args...)
		if status != tt.status || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q %q; want %d and %q", tt.args, status, stdout, stderr, tt.status, tt.want)
		}
	}
}
