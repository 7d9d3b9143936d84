package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestRegret(t *testing.T) {
	path, small := filepath.Join(t.TempDir(), "games.jsonl"), clitest.Config(t, `{"target": 30}`)
	var r, again regretResult
	document(t, &r, "regret", "-game", "pig", "-game-config", small, "-model", "greedy", "-games", "20", "-mistakes", "3", "-checkpoint", path)
	if r.Method != "sampled regret" || r.Games != 20 || r.Calls < 50 || r.Illegal != 0 || len(r.Worst) != 3 || !(r.Low < r.Win && r.Win < r.High && r.Win < 0.5) {
		t.Errorf("%+v", r.Report)
	}
	document(t, &again, "regret", "-game", "pig", "-game-config", small, "-model", "greedy", "-games", "30", "-mistakes", "3", "-checkpoint", path)
	content, err := os.ReadFile(path)
	if err != nil || strings.Count(string(content), "\n") != 31 || again.Games != 30 {
		t.Errorf("%d games, %v, in\n%s", again.Games, err, content)
	}
	got := text(t, "regret", "-game", "pig", "-game-config", small, "-model", "greedy", "-games", "20", "-calls", "40")
	for _, want := range []string{"greedy in ", "by sampled regret", "results alone would need", "-calls ended", "The worst mistakes:"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"-game mars-is-ours -model greedy", "only the quick game is solved: no exact solution; play a match: go run ./cmd/eval match -game mars-is-ours -model greedy -against greedy"},
		{"-game pig", "-model is missing"},
		{"-game pig -model greedy -calls -1", "want a number from 0 on"},
		{"-game pig -game-config " + small + " -model random -checkpoint " + path, "holds games of another measurement"},
	} {
		stdout, stderr, status := command(t, append([]string{"regret"}, strings.Fields(tt.args)...)...)
		if status == cli.Done || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q %q; want %q", tt.args, status, stdout, stderr, tt.want)
		}
	}
}
