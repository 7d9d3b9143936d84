package main

import (
	"slices"
	"strings"
	"testing"

	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestSequential(t *testing.T) {
	file := clitest.Config(t, reduced)
	var r sequentialResult
	document(t, &r, "match", "-model", "random", "-against", "greedy", "-game-config", file, "-sequential", "0.02")
	if r.Verdict != eval.Weaker || r.Method != "match" || r.Games == 0 || r.Games > 10_000 || !(r.High[0] < 0.5) || r.Margin != 0.02 || r.Fair != 0.5 {
		t.Errorf("the match is %+v", r)
	}
	if got := text(t, "match", "-model", "greedy", "-against", "random", "-game-config", file, "-sequential", "0.02"); !strings.Contains(got, "greedy is stronger than random.") || !strings.Contains(got, "wrong with a probability of at most 1 %") {
		t.Errorf("as text:\n%s", got)
	}
	if got := text(t, "match", "-model", "greedy", "-against", "exact", "-game-config", file, "-sequential", "0.02", "-games", "40"); !strings.Contains(got, "Undecided") {
		t.Errorf("as text:\n%s", got)
	}
}

func TestTournament(t *testing.T) {
	file, dir := clitest.Config(t, reduced), runFolder(t)
	var r tournamentResult
	document(t, &r, "tournament", "random", "greedy", "search:4", dir, "-game-config", file, "-games", "100")
	if r.Method != "match" || r.Anchor != "random" || r.Games != 600 || len(r.Agents) != 4 || len(r.Win) != 4 {
		t.Fatalf("the tournament is %+v", r)
	}
	random, greedy := slices.Index(r.Agents, "random"), slices.Index(r.Agents, "greedy")
	if r.Rating[random] != 0 || !(r.Low[greedy] > 0) || !(r.Win[greedy][random] > 0.5) {
		t.Errorf("the ratings of %q are %v from %v", r.Agents, r.Rating, r.Low)
	}
	got := text(t, "tournament", "random", "greedy", "-players", "3", "-game-config", file, "-games", "60")
	for _, want := range []string{"in 2 matches of 60 games each, from seed 1", "the fair share is 33.33", "relative to the anchor, random.", "Ratings are\n  smoothed", "-  "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestMatchErrors(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"tournament greedy", "an argument is missing; want AGENT AGENT..."},
		{"tournament greedy gredy", "did you mean greedy?"},
		{"tournament greedy random -model greedy", "unknown flag -model"},
		{"match -model greedy -sequential 2", "-sequential is 2"},
		{"match -model greedy -sequential 0.01 -record x", "without -sequential"},
		{"match", "-model is missing"},
		{"-model search:fast", "search:100ms"},
		{"-model serch", "did you mean search?"},
		{"-model search:50:runs/none", `there is no model file or run folder "runs/none"`},
	} {
		stdout, stderr, status := command(t, append(strings.Fields(tt.args), "-game-config", clitest.Config(t, reduced))...)
		if status == cli.Done || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q %q; want %q", tt.args, status, stdout, stderr, tt.want)
		}
	}
}

// TestMatchTruncates: endless games are truncated and counted.
func TestMatchTruncates(t *testing.T) {
	file := clitest.Config(t, `{"max_rounds": 0}`)
	out := text(t, "-game", "martian-risk-tiny", "-game-config", file, "-model", "random", "-against", "random", "-games", "20", "-cache", "none")
	if want := "18 of the games reached the move limit"; !strings.Contains(out, want) {
		t.Errorf("the output is %q; want %q", out, want)
	}
}
