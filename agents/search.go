package agents

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
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
	cfg, evaluator, err := SearchOf(name, opt)
	if err != nil {
		return nil, err
	}
	p, err := search.New(opt.Game, cfg, evaluator)
	if err != nil {
		return nil, err
	}
	return &Agent{Name: name, Policy: p}, nil
}

// SearchOf returns the search of that name, and the network of its MODEL; nil if it names
// none.
func SearchOf(name string, opt Options) (search.Config, *search.Evaluator, error) {
	cfg := search.Config{Seed: opt.Seed}
	cfg.Simulations, cfg.Time = Budget(name)
	if cfg.Simulations <= 0 && cfg.Time <= 0 {
		return cfg, nil, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(searchPatterns, ", "))
	}
	_, rest, _ := strings.Cut(name, ":")
	_, model, hasModel := strings.Cut(rest, ":")
	if !hasModel {
		return cfg, nil, nil
	}
	e, err := OpenEvaluator(model, opt)
	return cfg, e, err
}

// Budget returns the number of simulations, or the time, of a decision of the search of that
// name. Both are 0 for other agents, and neither is above 0 for a name that is not valid.
func Budget(name string) (simulations int, d time.Duration) {
	way, rest, hasBudget := strings.Cut(name, ":")
	if way != Search {
		return 0, 0
	}
	if !hasBudget {
		return defaultSimulations, 0
	}
	budget, _, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(budget)
	if err == nil {
		return n, 0
	}
	d, _ = time.ParseDuration(budget) // 0 with an error
	return 0, d
}

// OpenEvaluator opens a model file, a run folder or "pretrained" as the evaluator of a
// search.
func OpenEvaluator(model string, opt Options) (*search.Evaluator, error) {
	f, err := openModel(model, opt)
	if err != nil {
		return nil, err
	}
	e, err := NewEvaluator(opt.Game.Spec(), f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	return e, nil
}

// Network returns the first network of the game among the names of agents, or in one of
// them; "pretrained" if there is none and the game has one; otherwise "".
func Network(names []string, g env.Game) string {
	for _, name := range names {
		model := ModelName(name)
		if search := model == Search || strings.HasPrefix(model, Search+":"); !search && model != Exact && !slices.Contains(g.BotNames(), model) {
			return model
		}
	}
	if hasPretrained(g.Spec()) {
		return Pretrained
	}
	return ""
}

// NewEvaluator returns the network of a model file as the evaluator of a search.
func NewEvaluator(spec game.Spec, f *models.File) (*search.Evaluator, error) {
	e := &search.Evaluator{
		ScoresAfterstates: f.MLP.Shape().Head == models.Score,
		Target:            search.ValueTarget(f.Meta.ValueTarget),
		Forward:           f.MLP.Forward,
	}
	if e.ScoresAfterstates {
		e.ForwardNear = f.MLP.ForwardNear
	}
	switch e.Target {
	case search.Decision, search.Afterstate, search.TurnStart:
	case "": // a file of an older release
		e.Target = search.TargetOf(f.Meta.Algorithm)
	default:
		return nil, fmt.Errorf("its values are of %s, which this program does not know; use the release that wrote it", input.Quote(f.Meta.ValueTarget))
	}
	if f.MLP.Shape().Values == models.ValueShares {
		e.Forward = func(policy, values, obs []float32) {
			f.MLP.Forward(policy, values, obs)
			models.SharesToReturns(values, spec.Players, spec.Return)
		}
		if e.ForwardNear != nil {
			e.ForwardNear = func(policy, values, obs []float32, first []int) {
				f.MLP.ForwardNear(policy, values, obs, first)
				models.SharesToReturns(values, spec.Players, spec.Return)
			}
		}
	}
	return e, nil
}
