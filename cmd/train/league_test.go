package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/fulltest"
)

// quickLeague is three runs of a fraction of a second, in a game whose networks are not
// evaluated exactly.
const quickLeague = `{
	"base": {"game": "martian-dice", "game_config": {"dice": 4, "target": 4, "players": 3}, "train": {
		"algorithm": "ppo", "hidden": [16], "rows": 32, "ppo": {"horizon": 16, "minibatch": 256}, "steps": 2048, "checkpoints": 4}},
	"seeds": [3, 4, 5],
	"league": {"games": 300, "against": ["greedy"]}
}`

// TestLeague interrupts a sweep before its league and resumes it, and plays a part of the
// league again.
func TestLeague(t *testing.T) {
	fulltest.Gate(t)
	t.Parallel()
	file, dir := clitest.Config(t, quickLeague), filepath.Join(t.TempDir(), "sweep")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	stopping := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("run 3 of 3")) {
			cancel()
		}
		return out.Write(b)
	})
	if status := run(ctx, []string{"-sweep", file, "-out", dir}, nil, stopping, &errs); status != cli.Interrupted || !strings.Contains(out.String(), "stopped in the league") {
		t.Fatalf("status %d\n%s%s", status, out.String(), errs.String())
	}
	status, first, text := command(t, "-sweep", file, "-out", dir)
	if status != cli.Done {
		t.Fatalf("status %d\n%s%s", status, first, text)
	}
	_, first, _ = strings.Cut(first, "the league")
	for _, want := range []string{"01-seed-3\n", "01-seed-4\n", "01-seed-5\n", "greedy\n", "interval", "the best is " + dir} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	_, best, _ := strings.Cut(first, "the best is ")
	best, _, _ = strings.Cut(best, ";")
	if !bytes.Equal(read(t, dir, agents.ModelFile), read(t, best, agents.ModelFile)) {
		t.Error("the model of the sweep is not that of its best run")
	}
	// As if it had been killed in the league.
	var known []eval.Pairing
	if err := json.Unmarshal(read(t, dir, leagueFile), &known); err != nil || len(known) != 12 {
		t.Fatalf("%d matches of 4 agents are kept, %v; want 12", len(known), err)
	}
	// Shares of games are not smoothed: those of the first run are the mean of its matches.
	games, share := 0, 0.0
	for _, m := range known {
		if games += m.Games; m.A == 1 {
			share += m.Share / 3
		}
	}
	for _, want := range []string{fmt.Sprintf(", %d games on dice of its own", games), fmt.Sprintf("wins %.4f   01-seed-3\n", share)} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	some, err := json.Marshal(known[:5])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, leagueFile), some, 0o666); err != nil {
		t.Fatal(err)
	}
	_, again, _ := command(t, "-sweep", file, "-out", dir)
	if _, again, _ = strings.Cut(again, "the league"); again != first {
		t.Errorf("resumed:\n%s\nat once:\n%s", again, first)
	}
	// The key of 0.1.0, whose shares had a further set.
	if err := os.WriteFile(filepath.Join(dir, leagueFile), bytes.ReplaceAll(some, []byte(`"share"`), []byte(`"win"`)), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, text := command(t, "-sweep", file, "-out", dir); status != cli.Failed || !strings.Contains(text, leagueFile) || !strings.Contains(text, `unknown field "win"`) || !strings.Contains(text, "delete the file") {
		t.Errorf("matches of 0.1.0: status %d, %s", status, text)
	}
}

func TestLeagueRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for from, to := range map[string]string{`"greedy"`: `"gredy"`, `"players": 3`: `"players": 1`, `300`: `-1`, `"games"`: `"lookahead": -2, "games"`} {
		file := filepath.Join(t.TempDir(), "sweep.json")
		if err := os.WriteFile(file, []byte(strings.Replace(quickLeague, from, to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if status, _, errs := command(t, "-sweep", file); status == cli.Done || !strings.Contains(errs, "league") {
			t.Errorf("%s: status %d, %s", to, status, errs)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
	}
}
