package agents

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
)

// Search is the name of the agent that searches ahead.
const Search = "search"

// SearchForms says how search is named.
const SearchForms = "search, search:800 (simulations of a decision), search:100ms (time), search:800:runs/x (led by a network)"

// defaultSimulations of a decision. Chosen: a few milliseconds.
const defaultSimulations = 400

// openSearch opens "search", "search:BUDGET" or "search:BUDGET:MODEL".
func openSearch(name string, opt Options) (*Agent, error) {
	cfg := env.SearchConfig{Simulations: defaultSimulations, Seed: opt.Seed}
	_, rest, more := strings.Cut(name, ":")
	budget, model, guided := strings.Cut(rest, ":")
	if more {
		n, err := strconv.Atoi(budget)
		cfg.Simulations = n
		if err != nil {
			cfg.Simulations = 0
			cfg.Time, err = time.ParseDuration(budget)
		}
		if err != nil || n <= 0 && cfg.Time <= 0 {
			return nil, fmt.Errorf("%w %q: want %s", ErrUnknown, name, SearchForms)
		}
	}
	var guide *env.Guide
	if guided {
		f, err := openModel(model, opt.Game)
		if err != nil {
			return nil, err
		}
		guide = NewGuide(opt.Game.Spec(), f)
	}
	p, err := opt.Game.NewSearch(cfg, guide)
	if err != nil {
		return nil, err
	}
	return &Agent{name, p}, nil
}

// NewGuide lets the network of a model file lead a search.
func NewGuide(spec game.Spec, f *models.File) *env.Guide {
	g := &env.Guide{Scores: f.MLP.Shape().Head == models.Score, Forward: f.MLP.Forward}
	switch f.Meta.Algorithm {
	case string(env.Turn):
		g.Speaks = env.OfTurns
	case string(env.OnePly):
		g.Speaks = env.OfMoves
	}
	if f.MLP.Shape().Values == models.Shares {
		g.Forward = func(policy, values, obs []float32) {
			f.MLP.Forward(policy, values, obs)
			returns(spec, values)
		}
	}
	return g
}

// returns turns values, which are models.Shares, into expected returns.
func returns(spec game.Spec, values []float32) {
	share := make([]float64, spec.Players)
	for ; len(values) > 0; values = values[len(share):] {
		for j := range share {
			share[j] = float64(values[j])
		}
		Softmax(share, share)
		for j, x := range share {
			values[j] = float32(spec.Return(x))
		}
	}
}
