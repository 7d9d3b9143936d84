package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/eval"
	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/internal/parallel"
)

const (
	// defaultRollouts is the default of -rollouts. Chosen: the interval of a share of the
	// win is 9 % wide on either side.
	defaultRollouts = 200
	// defaultSearches and defaultSearch are the defaults of -searches and its -model. Chosen:
	// their values are nearer to exact ones than those of as many seconds of rollouts. They have no
	// intervals, and so find no mistakes (see adviseIntervals).
	defaultSearches = 8
	defaultSearch   = "search:50"
	// defaultMistakes is the default of -mistakes of recorded games. Chosen.
	defaultMistakes = 10
)

// pricer values recorded games and positions.
type pricer struct {
	*session
	cacheDir           func() string
	rollouts, searches int
	decisions          bool
	table              string // file, or ""
}

func (s *session) pricer() *pricer {
	p := &pricer{session: s}
	s.StringVar(&s.model, "model", "", fmt.Sprintf("`agent` of estimates: a search (default %s), or any for -rollouts (default greedy)", defaultSearch))
	s.IntVar(&p.searches, "searches", 0, fmt.Sprintf("estimate by this `number` of searches (default %d)", defaultSearches))
	s.IntVar(&p.rollouts, "rollouts", 0, fmt.Sprintf("estimate by this `number` of games (default %d)", defaultRollouts))
	s.Policy(&s.sample)
	s.Uint64Var(&s.seed, "seed", 1, "`seed` of estimates")
	return p
}

func gamesCommand(s *session) work {
	path := s.Operands("FILE|FOLDER", 1, 1)
	p := s.pricer()
	var cache string
	s.Cache(&cache)
	p.cacheDir = func() string { return cli.CacheDir(cache) }
	s.BoolVar(&p.decisions, "decisions", false, "list every decision with its options")
	s.IntVar(&s.mistakes, "mistakes", defaultMistakes, "list the `n` worst mistakes")
	s.StringVar(&p.table, "game", "", "`file` of the games' table, if it is not beside them")
	s.Example("go run ./cmd/eval games -mistakes 20 pig.games")
	return func(ctx context.Context) (result, error) {
		if s.mistakes < 0 {
			return nil, cli.Usagef("-mistakes is %d; want at least 0", s.mistakes)
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		return p.price(ctx, (*path)[0])
	}
}

// check returns an error in the flags of estimates.
func (p *pricer) check() error {
	estimates := p.Given("rollouts") || p.Given("searches")
	switch {
	case p.Given("rollouts") && p.Given("searches"):
		return cli.Usagef("-searches and -rollouts are two ways to estimate values; leave one out")
	case p.Given("rollouts") && (p.rollouts < 2 || p.rollouts > eval.MaxGames):
		return cli.Usagef("-rollouts is %d; want 2 to %d", p.rollouts, eval.MaxGames)
	case p.Given("searches") && (p.searches < 2 || p.searches > eval.MaxGames):
		return cli.Usagef("-searches is %d; want 2 to %d", p.searches, eval.MaxGames)
	case estimates && p.model == agents.Exact:
		return cli.Usagef("-model exact needs no estimates; leave out -searches and -rollouts")
	case p.Given("searches") && p.model != "" && !isSearch(p.model):
		return cli.Usagef("-searches: -model is %s; want a search such as %s", input.Quote(p.model), defaultSearch)
	}
	return nil
}

func isSearch(name string) bool {
	return name == agents.Search || strings.HasPrefix(name, agents.Search+":")
}

// gamesResult holds a report for each set of rules in the files, in the order of their
// first games.
type gamesResult struct {
	Reports []*analysis.Report `json:"reports"`
}

func (p *pricer) price(ctx context.Context, path string) (result, error) {
	groups := map[string][]*record.Game{} // by hash of the rules
	var order []string
	var incomplete error
	for g, err := range record.ReadPath(path, cli.OpenFor(path, p.table)) {
		if errors.Is(err, record.ErrIncomplete) {
			fmt.Fprintf(p.bar, "%s: %s; it is left out\n", p.Name(), input.Message(err))
			incomplete = err
			continue
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		hash := g.Rules.Spec().RulesHash()
		if groups[hash] == nil {
			order = append(order, hash)
		}
		groups[hash] = append(groups[hash], g)
	}
	if order == nil && incomplete != nil {
		return nil, incomplete
	}
	if order == nil {
		return nil, fmt.Errorf("%s holds no game", path)
	}
	r := &gamesResult{}
	for _, hash := range order {
		games, err := record.Distinct(groups[hash])
		if err != nil {
			return nil, err
		}
		if n := len(groups[hash]) - len(games); n > 0 {
			fmt.Fprintf(p.bar, "%s: left out %d of %d games of %s: each is a copy of another, move for move\n", p.Name(), n, len(groups[hash]), games[0].Rules.Spec().Title)
		}
		report, err := p.report(ctx, games)
		if err != nil {
			return nil, err
		}
		r.Reports = append(r.Reports, report)
	}
	return r, nil
}

func (p *pricer) report(ctx context.Context, games []*record.Game) (*analysis.Report, error) {
	spec := games[0].Rules.Spec()
	v, err := p.valuer(ctx, games[0].Rules)
	if err != nil {
		return nil, err
	}
	if searches, ok := v.(*analysis.Searches); ok {
		p.adviseIntervals(*searches)
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
	open := &cli.Agents{Game: g, Sample: p.sample, Seed: p.seed, Cache: p.cacheDir(), Command: p.Name(), Bar: p.bar, Played: true}
	if p.model == agents.Exact || p.model == "" && !p.Given("rollouts") && !p.Given("searches") {
		s, err := open.Solve(ctx)
		if err == nil {
			return analysis.NewExact(g.Spec(), s), nil
		}
		if p.model == agents.Exact || !errors.Is(err, game.ErrNoSolution) {
			return nil, err
		}
	}
	if g.Spec().HasWin() && !p.Given("rollouts") && (p.model == "" || isSearch(p.model)) {
		return p.newSearches(g)
	}
	a, err := open.Open(ctx, cmp.Or(p.model, agents.BestBot(g)))
	if err != nil {
		return nil, err
	}
	return &analysis.Rollouts{Game: g, Agent: a, Name: a.Name, Number: cmp.Or(p.rollouts, defaultRollouts), Seed: p.seed}, nil
}

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
		by = agents.BestBot(g)
	}
	return &analysis.Searches{Game: g, Evaluator: evaluator, Name: by, Number: cmp.Or(p.searches, defaultSearches), Simulations: cfg.Simulations, Seed: p.seed}, nil
}

// adviseIntervals prints which flags give intervals, if those of v do not. A network needs far fewer
// simulations.
func (p *pricer) adviseIntervals(v analysis.Searches) {
	searches, simulations := v.Fewest()
	if v.Number >= searches && v.Simulations >= simulations {
		return
	}
	if v.Evaluator == nil && v.Simulations < simulations {
		if e, err := agents.OpenEvaluator(agents.Pretrained, agents.Options{Game: v.Game}); err == nil {
			v.Evaluator, v.Name = e, agents.Pretrained
		}
	}
	searches, simulations = v.Fewest()
	model := fmt.Sprintf("%s:%d", agents.Search, max(v.Simulations, simulations))
	if v.Evaluator != nil {
		model += ":" + v.Name
	}
	fmt.Fprintf(p.bar, "%s: no value has an interval, so no mistake counts; intervals need at least -searches %d -model %s\n", p.Name(), max(v.Number, searches), cli.Argument(model))
}

func (r *gamesResult) print(b *strings.Builder, _ game.Spec) {
	for i, report := range r.Reports {
		if i > 0 {
			b.WriteString("\n\n")
		}
		printReport(b, report)
	}
}
