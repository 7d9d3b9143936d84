package search_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
)

// tunnel is a game for two in which seat 0 enters a tunnel, or loses. Chance moves from door to door,
// and out of the tunnel seat 0 has won.
type tunnel struct{ doors, limit int }

// door is the state of tunnel: 0 before it, 255 lost, otherwise the doors passed.
type door struct{ N uint8 }

func (x tunnel) Spec() game.Spec {
	return game.Spec{ID: "tunnel", Title: "Tunnel", Version: 1, Players: 2, Actions: 2, MoveLimit: x.limit,
		Observation: []game.Field{{Name: "door", Len: 1}}, Win: 1, Loss: -1}
}
func (tunnel) Initial() door { return door{} }
func (x tunnel) CurrentPlayer(s door) game.Player {
	switch {
	case s.N == 0:
		return 0
	case s.N == 255 || int(s.N) > x.doors:
		return game.Terminal
	}
	return game.Chance
}
func (tunnel) Legal(dst []game.Action, s door) []game.Action {
	if s.N == 0 {
		dst = append(dst, 0, 1)
	}
	return dst
}
func (x tunnel) Outcomes(dst []game.Outcome[door], s door) []game.Outcome[door] {
	if x.CurrentPlayer(s) == game.Chance {
		dst = append(dst, game.Outcome[door]{State: door{s.N + 1}, Prob: 1})
	}
	return dst
}
func (x tunnel) Apply(s door, a game.Action) (door, error) {
	if s.N != 0 || a < 0 || a > 1 {
		return s, fmt.Errorf("%w: %d", game.ErrIllegalAction, a)
	}
	return []door{{1}, {255}}[a], nil
}
func (x tunnel) Returns(dst []float64, s door) []float64 {
	switch {
	case s.N == 255:
		return append(dst, -1, 1)
	case x.CurrentPlayer(s) == game.Terminal:
		return append(dst, 1, -1)
	}
	return append(dst, 0, 0)
}
func (tunnel) Encode(dst []float32, s door, _ game.Player) { dst[0] = float32(s.N) }

// handle returns a game that can be searched.
func handle[S comparable](rules game.Rules[S]) env.Game { return search.NewGame(rules) }

// TestChanceLimit: a simulation sees the end of a game after as many transitions of chance as a batch
// draws. One more is truncated, where both seats have half of the win.
func TestChanceLimit(t *testing.T) {
	const limit = 7
	for doors, want := range map[int]float64{limit - 1: 1, limit: 1, limit + 1: 0.5} {
		g := handle(tunnel{doors, limit})
		inside, err := g.Initial().Apply(0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := search.New(g, search.Config{Simulations: 16}, nil)
		if err != nil {
			t.Fatal(err)
		}
		share := make([]float64, search.Sizes*2)
		if err := s.Values(t.Context(), share, []env.Position{inside}); err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(share[0]-want) <= 1e-12) {
			t.Errorf("%d doors and a limit of %d: seat 0 wins %v; want %v", doors, limit, share[0], want)
		}
	}
}

// TestConfigErrors: a search has a number of simulations or a time, within limits.
func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct {
		cfg  search.Config
		want string // "" for none
	}{
		{search.Config{Simulations: 1}, ""},
		{search.Config{Simulations: 10_000_000}, ""},
		{search.Config{Time: 1}, ""},
		{search.Config{Simulations: 10_000_001}, "simulations are 10000001; want 1 to 10000000"},
		{search.Config{Simulations: -1}, "simulations are -1; want 1 to 10000000"},
		{search.Config{Time: -time.Second}, "time is -1s; want more than 0"},
		{search.Config{}, "want either simulations or time"},
		{search.Config{Simulations: 1, Time: 1}, "want either simulations or time"},
		{search.Config{Simulations: -1, Time: -1}, "simulations are -1; want 1 to 10000000\ntime is -1ns; want more than 0\nwant either simulations or time"},
	} {
		if err := tt.cfg.Validate(); tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%+v: %v; want %q", tt.cfg, err, tt.want)
		}
	}
}

// TestTargetOf: networks of older releases have the values of their algorithm.
func TestTargetOf(t *testing.T) {
	for algorithm, want := range map[string]search.ValueTarget{"one-ply": search.Afterstate, "turn-exact": search.TurnStart, "ppo": search.Decision, "": search.Decision} {
		if got := search.TargetOf(algorithm); got != want {
			t.Errorf("%q trains values of %s; want %s", algorithm, got, want)
		}
	}
}

// TestSearchRefusals: what cannot be searched says why.
func TestSearchRefusals(t *testing.T) {
	g := handle(tunnel{3, 0})
	s, err := search.New(g, search.Config{Time: time.Millisecond}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func() error{
		"search: values need a number of simulations": func() error { return s.Values(t.Context(), nil, nil) },
		"search: this handle of tunnel cannot be searched; make it with search.NewGame": func() error {
			_, err := search.New(env.NewGame(tunnel{3, 0}), search.Config{Simulations: 1}, nil)
			return err
		},
		"search: the values are of starts of turns, and tunnel does not define where turns start": func() error {
			_, err := search.New(g, search.Config{Simulations: 1}, &search.Evaluator{Target: search.TurnStart})
			return err
		},
		"its values are of starts of turns, and the game plans no turns from their decisions; use search": func() error {
			_, err := search.NewLookahead(g, 0, &search.Evaluator{Target: search.TurnStart})
			return err
		},
		"look-ahead by -1 plies; want 0 to 20": func() error {
			_, err := search.NewLookahead(g, -1, &search.Evaluator{Target: search.Decision})
			return err
		},
		"look-ahead by 21 plies; want 0 to 20": func() error {
			_, err := search.NewLookahead(g, 21, &search.Evaluator{Target: search.Decision})
			return err
		},
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if _, err := search.NewLookahead(g, 20, &search.Evaluator{Target: search.Decision}); err != nil {
		t.Errorf("20 plies: %v", err)
	}
}
