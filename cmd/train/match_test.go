package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
)

func TestMatchGames(t *testing.T) {
	for _, tt := range []struct {
		steps     uint64
		decisions float64
		want      int
	}{
		{12_000_000, 2000, 600},
		{1_000_000, 2000, 250}, // 2,000 would take four million decisions
		{100_000_000, 2000, 5_000},
		{12_000_000, 95.5, 12_565},
		{40_000_000, 90, 20_000}, // 44,444 would be
		{1, 90, 2_000},
		{6000, 30_000, 16}, // 2,000 would take 60 million decisions
		{6000, 1e9, 12},
	} {
		if got := matchGames(tt.steps, tt.decisions); got != tt.want {
			t.Errorf("%d decisions, %v a game: %d games, want %d", tt.steps, tt.decisions, got, tt.want)
		}
	}
}

// TestReportMatch: the match at the end of a run has more games after a longer
// training, whole sets of games, and the same result each time.
func TestReportMatch(t *testing.T) {
	t.Parallel()
	g, err := catalog.Open("martian-dice", 3, []byte(`{"dice": 4, "target": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	random, err := agents.Open(t.Context(), "random", agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	report := func(steps uint64) string {
		var b strings.Builder
		bar := cli.NewProgress(io.Discard)
		x := &session{game: g, spec: g.Spec(), agents: &cli.Agents{Game: g, Bar: bar}, stdout: &b, bar: bar}
		if err := x.reportMatch(t.Context(), random, steps); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for steps, want := range map[uint64]string{1: "of 2001 games against greedy", 1 << 40: "of 20001 games against greedy"} {
		if text := report(steps); !strings.Contains(text, want) || !strings.Contains(text, "99 % interval") || !strings.Contains(text, "the fair share is 0.3333") {
			t.Errorf("after %d decisions %q; want %q", steps, text, want)
		}
	}
	// A player decides two to eight times a turn, and has a few turns.
	var games int
	text := report(1_000_000)
	if _, err := fmt.Sscanf(text[strings.Index(text, "of "):], "of %d games", &games); err != nil || games <= 2001 || games >= 20_000 || games%3 != 0 {
		t.Errorf("%q, %v; want sets of three games, between the bounds", text, err)
	}
	if again := report(1_000_000); again != text {
		t.Errorf("%q, and then %q", text, again)
	}
}
