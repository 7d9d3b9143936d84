// Command eval says how strong an agent is: exactly, where the game is solved.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/plot"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("eval", stdout, stderr, func(stdout io.Writer) error { return evaluate(ctx, args, stdout, stderr) })
}

// options are the command line.
type options struct {
	name        *cli.Game
	model       string
	against     []string
	sample      bool
	games       int
	settle      float64  // the margin; 0 is off
	pool        []string // agents to rate
	blunders    int
	seed        uint64
	table, json bool
	plot        string
	compare     []string // run folders
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	f := cli.NewFlags("eval", "Eval says how strong an agent is. Where the game is solved the answer is exact: the agent is asked about every position, and no game is played. Elsewhere it is a match.")
	f.StringVar(&o.model, "model", "", "`agent` to evaluate: exact, random, greedy, search, pretrained, a model file or a run folder")
	f.List(&o.against, "against", "`agent` in the other seats, or one for each of them, with commas (default exact, or greedy where nothing is solved)")
	f.List(&o.pool, "pool", "`agents` to play each other, with commas, and to be rated: the first is 0; each match has -games (default "+fmt.Sprint(poolGames)+")")
	sample := f.Policy()
	f.Group("Agents", "model", "against", "pool", "policy")
	f.IntVar(&o.games, "games", 0, "`number` of games to play: for two beside the exact answer, else instead of it")
	f.Float64Var(&o.settle, "settle", 0, "play until it is settled who is the stronger, or that they differ by less than this `share` of the win, such as 0.01; -games is the most")
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of those games, and of searches")
	f.IntVar(&o.blunders, "blunders", 0, "list the `n` dearest mistakes of the model against exact, and what all of them cost by kind")
	f.BoolVar(&o.table, "table", false, "evaluate all the game's agents, or those of -against, and the model, against each other")
	f.BoolVar(&o.json, "json", false, "write one JSON document")
	f.StringVar(&o.plot, "plot", "", "`folder` for pictures of where the model loses, as SVG and PNG")
	f.List(&o.compare, "compare", "`runs` to lay beside each other, with commas; with -plot their learning curves in one picture")
	f.Group("What to do", "games", "settle", "seed", "blunders", "table", "compare", "json", "plot")
	o.name = f.Game(catalog.IDs())
	f.Example("go run ./cmd/eval -model greedy")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -against greedy -games 20000")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -blunders 20")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -plot pictures")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -json")
	f.Example("go run ./cmd/eval -model greedy -players 3 -against random,exact")
	f.Example("go run ./cmd/eval -model search:800 -against greedy -settle 0.01")
	f.Example("go run ./cmd/eval -game martian-risk -pool greedy,random,search:50 -games 100")
	f.Example("go run ./cmd/eval -table")
	f.Example("go run ./cmd/eval -compare runs/martian-dice-2-001,runs/martian-dice-2-002 -plot pictures")
	if err := f.Parse(args, stdout); err != nil {
		return nil, err
	}
	var err error
	if o.sample, err = sample(); err != nil {
		return nil, err
	}
	switch {
	case o.compare != nil:
		if f.Others("compare", "plot", "json") != nil {
			return nil, cli.Usagef("-compare goes with -plot and -json alone")
		}
		return &o, nil
	case o.pool != nil && (o.model != "" || o.against != nil || o.table || f.Given("settle") || f.Given("blunders") || o.plot != ""):
		return nil, cli.Usagef("-pool goes with -games, -seed and -json alone: name all agents in it")
	case f.Given("settle") && !(o.settle > 0 && o.settle < 1):
		return nil, cli.Usagef("-settle is %v; want a share of the win such as 0.01", o.settle)
	case o.pool != nil && len(o.pool) < 2:
		return nil, cli.Usagef("-pool names one agent; want at least 2")
	case o.settle > 0 && (o.table || o.blunders > 0 || o.plot != ""):
		return nil, cli.Usagef("-settle plays a match, and -table, -blunders and -plot are exact; want one of them")
	case o.model == "" && !o.table && o.pool == nil:
		return nil, cli.Usagef("-model is missing: name an agent, a model file or a run folder")
	case f.Given("games") && o.games < 1:
		return nil, cli.Usagef("-games is %d; want at least 1", o.games)
	case f.Given("blunders") && o.blunders < 1:
		return nil, cli.Usagef("-blunders is %d; want at least 1", o.blunders)
	case o.blunders > 0 && o.table:
		return nil, cli.Usagef("-blunders is for one -model, without -table")
	case o.plot != "" && o.table:
		return nil, cli.Usagef("-plot is for one -model, without -table")
	case o.games > 0 && o.table:
		return nil, cli.Usagef("-table is exact, and plays no -games")
	}
	// What a model file plays goes without saying.
	meta, err := agents.CommonMeta(o.named())
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	o.name.Default(meta.Game, meta.Config)
	return &o, nil
}

// named lists the agents of the command line.
func (o *options) named() []string {
	if o.model == "" { // as -table and -pool allow
		return append(o.pool, o.against...)
	}
	return append([]string{o.model}, o.against...)
}

func evaluate(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	if o.compare != nil {
		c, err := compare(o, stderr)
		if err != nil {
			return err
		}
		return show(stdout, o, c, game.Spec{})
	}
	g, err := cli.OpenGame(o.name, catalog.Open)
	if err != nil {
		return err
	}
	s := &session{options: o, game: g, spec: g.Spec(), bar: cli.NewProgress(stderr), opened: map[string]*agents.Agent{}}
	defer s.bar.Clear()
	r, err := s.evaluate(ctx)
	if err != nil {
		return err
	}
	s.bar.Clear()
	return show(stdout, o, r, s.spec)
}

// show prints a result, or writes its JSON.
func show(stdout io.Writer, o *options, r result, spec game.Spec) error {
	if o.json {
		return cli.WriteJSON(stdout, r)
	}
	return r.print(stdout, spec)
}

// result is what comes of an evaluation. Its JSON is that of -json.
type result interface {
	print(w io.Writer, spec game.Spec) error
}

// session is one evaluation.
type session struct {
	*options
	game     env.Game
	spec     game.Spec
	bar      *cli.Progress
	solution env.Solution             // nil until it is wanted
	judged   *eval.ExactEvaluator     // nil until it is wanted
	opened   map[string]*agents.Agent // by name

	steps, total int // of the judge, done and expected
}

func (s *session) evaluate(ctx context.Context) (result, error) {
	// A match of three or more may do without the solution, which can take long.
	matched := s.spec.Players != 2 && s.games > 0 || s.settle > 0
	switch others := s.spec.Players - 1; {
	case s.table && !s.spec.HasWin():
		return nil, cli.Usagef("-table: a game for %d has nobody to win against", s.spec.Players)
	case others == 0 && s.against != nil:
		return nil, cli.Usagef("-against: there are no other seats")
	case !s.table && len(s.against) > 1 && len(s.against) != others:
		return nil, cli.Usagef("-against names %d agents, and the number of other seats is %d; name one agent, or one for each of these seats", len(s.against), others)
	case s.blunders > 0 && !s.spec.HasWin():
		return nil, cli.Usagef("-blunders: a game for %d has no win to lose", s.spec.Players)
	case matched && s.blunders > 0:
		return nil, cli.Usagef("-blunders is exact, and -games for more than two are a match; want one of them")
	case matched && s.plot != "":
		return nil, cli.Usagef("-plot is exact, and -games for more than two are a match; want one of them")
	}
	// A fault in a name or file should not wait for the solution.
	if err := cli.CheckFolder("plot", s.plot); err != nil {
		return nil, err
	}
	for _, name := range s.named() {
		if name == agents.Exact {
			continue
		}
		if _, err := s.open(ctx, name); err != nil {
			return nil, err
		}
	}
	switch {
	case s.table:
		return s.all(ctx)
	case s.pool != nil:
		return s.roundRobin(ctx)
	}
	a, err := s.open(ctx, s.model)
	if err != nil {
		return nil, err
	}
	solved := false
	if !matched || s.against == nil {
		_, err := s.solve(ctx)
		if err != nil && (s.blunders > 0 || !errors.Is(err, game.ErrNoSolution)) {
			return nil, err
		}
		solved = err == nil
	}
	against := s.against
	if against == nil {
		against = []string{agents.Exact}
		if !solved {
			names := s.game.BotNames()
			against[0] = names[len(names)-1]
		}
	}
	seats := []*agents.Agent{a}
	for i := range s.spec.Players - 1 {
		b, err := s.open(ctx, against[i%len(against)])
		if err != nil {
			return nil, err
		}
		seats = append(seats, b)
	}
	if s.plot != "" {
		if err := s.draw(ctx, a); err != nil {
			return nil, fmt.Errorf("-plot: %w", err)
		}
	}
	switch {
	case s.settle > 0:
		return s.settled(ctx, seats)
	case !solved || matched:
		return s.match(ctx, seats)
	case !s.spec.HasWin():
		return s.turns(ctx, seats)
	case s.spec.Players == 2:
		return s.pair(ctx, seats)
	}
	return s.seats(ctx, seats)
}

// solve solves the game once.
func (s *session) solve(ctx context.Context) (env.Solution, error) {
	if s.solution == nil {
		solution, err := s.game.SolveCached(ctx, s.name.CacheDir(), func(done float64) { s.bar.Set(done, "solving "+s.spec.Title) }, cli.NotCached(s.bar, "eval"))
		if err != nil {
			return nil, err
		}
		s.solution = solution
	}
	return s.solution, nil
}

// draw draws where an agent loses.
func (s *session) draw(ctx context.Context, a *agents.Agent) error {
	j, err := s.judge(ctx)
	if err != nil {
		return err
	}
	charts, err := j.Charts(ctx, a)
	if err != nil {
		return err
	}
	return plot.Write(s.bar, s.plot, charts)
}

// open opens an agent, each once.
func (s *session) open(ctx context.Context, name string) (*agents.Agent, error) {
	if a := s.opened[name]; a != nil {
		return a, nil
	}
	a, err := cli.OpenAgent(ctx, name, agents.Options{Game: s.game, Sample: s.sample, Seed: s.seed, Solve: s.solve})
	if err == nil {
		s.opened[name] = a
	}
	return a, err
}
