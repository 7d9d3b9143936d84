package agents

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/env/search"
	"marsgym/internal/input"
	"marsgym/models"
)

// Search is the name of the agent that searches ahead.
const Search = "search"

// searchPatterns lists the names of searches: with a number of simulations per
// decision, or with a time per decision, whose results are not reproducible, and with
// a network as evaluator.
var searchPatterns = []string{Search, Search + ":800", Search + ":100ms", Search + ":800:MODEL"}

// defaultSimulations is the number of simulations per decision. Chosen: it takes a few
// milliseconds.
const defaultSimulations = 400

// openSearch opens "search", "search:BUDGET" or "search:BUDGET:MODEL".
func openSearch(name string, opt Options) (*Agent, error) {
	cfg := search.Config{Simulations: defaultSimulations, Seed: opt.Seed}
	_, rest, hasBudget := strings.Cut(name, ":")
	budget, model, hasModel := strings.Cut(rest, ":")
	if hasBudget {
		n, err := strconv.Atoi(budget)
		cfg.Simulations = n
		if err != nil {
			cfg.Simulations = 0
			cfg.Time, err = time.ParseDuration(budget)
		}
		if err != nil || n <= 0 && cfg.Time <= 0 {
			return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(searchPatterns, ", "))
		}
	}
	var evaluator *search.Evaluator
	if hasModel {
		f, err := openModel(model, opt)
		if err != nil {
			return nil, err
		}
		if evaluator, err = NewEvaluator(opt.Game.Spec(), f); err != nil {
			return nil, fmt.Errorf("%s: %w", model, err)
		}
	}
	p, err := opt.Game.NewSearch(cfg, evaluator)
	if err != nil {
		return nil, err
	}
	return &Agent{Name: name, Policy: p}, nil
}

// NewEvaluator returns the network of a model file as the evaluator of a search.
func NewEvaluator(spec game.Spec, f *models.File) (*search.Evaluator, error) {
	e := &search.Evaluator{
		ScoresAfterstates: f.MLP.Shape().Head == models.Score,
		Target:            search.ValueTarget(f.Meta.ValueTarget),
		Forward:           f.MLP.Forward,
	}
	switch e.Target {
	case search.Decision, search.Afterstate, search.TurnStart:
	case "":
		e.Target = targetOf(f.Meta.Algorithm)
	default:
		return nil, fmt.Errorf("its values are of %s, which this program does not know; use the release that wrote it", input.Quote(f.Meta.ValueTarget))
	}
	if f.MLP.Shape().Values == models.ValueShares {
		e.Forward = func(policy, values, obs []float32) {
			f.MLP.Forward(policy, values, obs)
			models.SharesToReturns(values, spec.Players, spec.Return)
		}
	}
	return e, nil
}

// targetOf returns the value target of a model file of an older release, which does not
// name it.
func targetOf(algorithm string) search.ValueTarget {
	switch algorithm {
	case string(expert.Turn):
		return search.TurnStart
	case string(expert.OnePly):
		return search.Afterstate
	}
	return search.Decision
}
