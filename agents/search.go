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

// searchForms says how search is named: with a number of simulations of each
// decision, or with a time, which does not repeat to the bit, and with a network
// that leads it.
var searchForms = []string{Search, Search + ":800", Search + ":100ms", Search + ":800:MODEL"}

// ModelName is the name of the network in the name of an agent: behind
// "search:BUDGET:", or all of it.
func ModelName(name string) string {
	if parts := strings.SplitN(name, ":", 3); len(parts) == 3 && parts[0] == Search {
		return parts[2]
	}
	return name
}

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
			return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(searchForms, ", "))
		}
	}
	var guide *env.Guide
	if guided {
		f, err := openModel(model, opt.Game)
		if err != nil {
			return nil, err
		}
		guide = NewEvaluator(opt.Game.Spec(), f)
	}
	p, err := opt.Game.NewSearch(cfg, guide)
	if err != nil {
		return nil, err
	}
	return &Agent{name, p}, nil
}

// NewGuide lets the network of a model file lead a search.
func NewEvaluator(spec game.Spec, f *models.File) *env.Guide {
	g := &env.Guide{Scores: f.MLP.Shape().Head == models.Score, Forward: f.MLP.Forward}
	switch f.Meta.Algorithm {
	case string(env.Turn):
		g.Speaks = env.OfTurns
	case string(env.OnePly):
		g.Speaks = env.OfMoves
	}
	if f.MLP.Shape().Values == models.ValueShares {
		g.Forward = func(policy, values, obs []float32) {
			f.MLP.Forward(policy, values, obs)
			Returns(spec, values)
		}
	}
	return g
}
