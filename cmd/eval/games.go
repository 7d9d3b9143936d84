package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/analysis"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/internal/parallel"
	"marsgym/record"
)

const (
	// defaultRollouts is the default of -rollouts. Chosen: the interval of a share of the
	// win is 9 % wide on either side.
	defaultRollouts = 200
	// defaultSearches and defaultSearch are the defaults of -searches and its -model. Chosen:
	// their values are nearer to exact ones than those of as many seconds of rollouts.
	defaultSearches = 8
	defaultSearch   = "search:50"
	// defaultMistakes is the default of -mistakes with -games-file. Chosen.
	defaultMistakes = 10
)

func (o *options) checkGamesFile() error {
	switch {
	case o.given("mistakes") && o.mistakes < 0:
		return cli.Usagef("-mistakes is %d; want at least 0", o.mistakes)
	case !o.given("mistakes"):
		o.mistakes = defaultMistakes
	}
	return o.checkEstimates()
}

func (o *options) checkEstimates() error {
	switch {
	case o.given("rollouts") && o.given("searches"):
		return cli.Usagef("-searches and -rollouts are two ways to estimate values; leave one out")
	case o.given("rollouts") && o.rollouts < 2:
		return cli.Usagef("-rollouts is %d; want at least 2", o.rollouts)
	case o.given("searches") && o.searches < 2:
		return cli.Usagef("-searches is %d; want at least 2", o.searches)
	case (o.given("rollouts") || o.given("searches")) && o.model == agents.Exact:
		return cli.Usagef("-model exact needs no estimates; leave out -searches and -rollouts")
	case o.given("searches") && o.model != "" && !isSearch(o.model):
		return cli.Usagef("-searches: -model is %s; want a search such as %s", input.Quote(o.model), defaultSearch)
	}
	return nil
}

// isSearch reports whether an agent is a search.
func isSearch(name string) bool {
	return name == agents.Search || strings.HasPrefix(name, agents.Search+":")
}

// pricer prices recorded games.
type pricer struct {
	*options
	bar *cli.Progress
}

// gamesResult holds a report for each set of rules in the files, in the order of their
// first games.
type gamesResult struct {
	Reports []*analysis.Report `json:"reports"`
}

func (p *pricer) price(ctx context.Context) (result, error) {
	groups := map[string][]*record.Game{} // by hash of the rules
	var order []string
	var incomplete error
	for g, err := range record.ReadPath(p.gamesFile, catalog.Open) {
		if errors.Is(err, record.ErrIncomplete) {
			fmt.Fprintf(p.bar, "eval: -games-file: %s; it is left out\n", input.Message(err))
			incomplete = err
			continue
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("-games-file: %w", err)
		}
		hash := g.Rules.Spec().RulesHash()
		if groups[hash] == nil {
			order = append(order, hash)
		}
		groups[hash] = append(groups[hash], g)
	}
	if order == nil && incomplete != nil {
		return nil, fmt.Errorf("-games-file: %w", incomplete)
	}
	if order == nil {
		return nil, fmt.Errorf("-games-file: %s holds no game", p.gamesFile)
	}
	r := &gamesResult{}
	for _, hash := range order {
		report, err := p.report(ctx, groups[hash])
		if err != nil {
			return nil, err
		}
		r.Reports = append(r.Reports, report)
	}
	return r, nil
}

// report prices games of the same rules.
func (p *pricer) report(ctx context.Context, games []*record.Game) (*analysis.Report, error) {
	spec := games[0].Rules.Spec()
	v, err := p.valuer(ctx, games[0].Rules)
	if err != nil {
		return nil, err
	}
	priced := make([]*analysis.Game, len(games))
	var done atomic.Int64
	err = parallel.ForContext(ctx, len(games), 1, func(i, _ int) (err error) {
		priced[i], err = analysis.Analyse(ctx, games[i], v)
		p.bar.Set(float64(done.Add(1))/float64(len(games)), "pricing games of "+spec.Title)
		return err
	})
	if err != nil {
		return nil, err
	}
	report := analysis.NewReport(spec, v, priced, p.mistakes)
	if !p.decisions {
		for _, g := range priced {
			g.Decisions = nil
		}
	}
	return report, nil
}

// valuer returns the exact values of a game or, with -model, -searches or -rollouts or if it
// is not solved, estimates: by searches, unless -rollouts is given or -model is no search.
func (p *pricer) valuer(ctx context.Context, g env.Game) (analysis.Valuer, error) {
	spec := g.Spec()
	solve := func(ctx context.Context) (env.Solution, error) {
		return g.SolveCached(ctx, p.name.CacheDir(), func(done float64) { p.bar.Set(done, "solving "+spec.Title) }, cli.NotCached(p.bar, "eval"))
	}
	if p.model == agents.Exact || p.model == "" && !p.given("rollouts") && !p.given("searches") {
		s, err := solve(ctx)
		if err == nil {
			return analysis.NewExact(spec, s), nil
		}
		if p.model == agents.Exact || !errors.Is(err, game.ErrNoSolution) {
			return nil, err
		}
	}
	if spec.HasWin() && !p.given("rollouts") && (p.model == "" || isSearch(p.model)) {
		return p.newSearches(g)
	}
	names := g.BotNames()
	a, err := cli.OpenAgent(ctx, cmp.Or(p.model, names[len(names)-1]), agents.Options{Game: g, Sample: p.sample, Seed: p.seed, Solve: solve})
	if err != nil {
		return nil, err
	}
	return &analysis.Rollouts{Game: g, Agent: a, Name: a.Name, Number: cmp.Or(p.rollouts, defaultRollouts), Seed: p.seed}, nil
}

// newSearches returns the valuer of -searches.
func (p *pricer) newSearches(g env.Game) (analysis.Valuer, error) {
	name := cmp.Or(p.model, defaultSearch)
	cfg, evaluator, err := agents.SearchOf(name, agents.Options{Game: g})
	if err != nil {
		return nil, &cli.UsageError{Err: fmt.Errorf("-model: %w", err)}
	}
	if cfg.Time > 0 {
		return nil, cli.Usagef("-model %s: want a number of simulations, such as %s", name, defaultSearch)
	}
	by := agents.ModelName(name)
	if evaluator == nil {
		names := g.BotNames()
		by = names[len(names)-1]
	}
	return &analysis.Searches{Game: g, Evaluator: evaluator, Name: by, Number: cmp.Or(p.searches, defaultSearches), Simulations: cfg.Simulations, Seed: p.seed}, nil
}

func (r *gamesResult) print(w io.Writer, _ game.Spec) error {
	var b strings.Builder
	for i, report := range r.Reports {
		if i > 0 {
			b.WriteString("\n\n")
		}
		printReport(&b, report)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
