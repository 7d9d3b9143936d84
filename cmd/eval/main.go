// Command eval measures the strength of an agent: exactly, if the game is solved.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/cluster/flags"
	"marsgym/internal/jobs"
	"marsgym/internal/kinds"
	"marsgym/internal/plot"
	"marsgym/record"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("eval", stdout, stderr, func(stdout io.Writer) error { return evaluate(ctx, args, stdout, stderr) })
}

// options are the flags.
type options struct {
	name        *cli.Game
	model       string
	against     []string
	sample      bool
	games       int
	sequential  float64  // the margin; 0 is off
	tournament  []string // agents to rate
	mistakes    int
	exploit     uint64 // decisions of the training of a response
	out         string // its run folder
	seed        uint64
	table, json bool
	plot        string
	compare     []string // run folders
	record      string   // file for the games of a match
	gamesFile   string
	position    string
	rollouts    int
	searches    int
	decisions   bool
	cluster     flags.Flags
	checkpoint  string // file of results

	given   func(name string) bool // reports whether a flag is on the command line
	command string                 // the command line
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	f := cli.NewFlags("eval", "Eval measures the strength of an agent. If the game is solved, the result is exact: the agent's decisions in all positions are evaluated, and no game is played. Otherwise it plays a match.")
	f.StringVar(&o.model, "model", "", "`agent` to evaluate: exact, random, greedy, search, lookahead:3:MODEL, pretrained, a model file or a run folder")
	f.List(&o.against, "against", "`agent` in the other seats, or one for each of them, "+cli.Commas+" (default exact, or greedy if the game is not solved)")
	f.List(&o.tournament, "tournament", "`agents` to rate by matches against each other, "+cli.Commas+"; the rating of the first is 0")
	sample := f.Policy()
	f.Group("Agents", "model", "against", "tournament", "policy")
	f.IntVar(&o.games, "games", 0, fmt.Sprintf("`number` of games: of a match (default %d), which for two players is played in addition to the exact evaluation and otherwise instead of it; of each match of -tournament (default %d); at most of -sequential (default %d)", defaultGames, tournamentGames, sequentialGames))
	f.Float64Var(&o.sequential, "sequential", 0, "play until the model is known to win more or less than the fair share, or to differ from it by less than this `margin` of the win, such as 0.01")
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of matches, searches and the training of a response")
	f.StringVar(&o.record, "record", "", "`file` for the games of a match of -games, which must not exist")
	f.Group("Matches", "games", "sequential", "seed", "record")
	f.Uint64Var(&o.exploit, "exploit", 0, "train a response to the model by ppo for so many `decisions`, with the model in all other seats, and report what it wins in a match: a lower bound of the exploitability, for any game with a win")
	f.StringVar(&o.out, "out", "", "run `folder` to make for the response; the same command goes on with it")
	f.Group("Exploitability of any agent", "exploit", "out")
	f.StringVar(&o.gamesFile, "games-file", "", "`file` of recorded games, or folder of files named *"+record.Suffix+", to price: what each decision lost, and what was luck. Values are exact where the game is solved; elsewhere, and with -model, -searches or -rollouts, they are estimated")
	f.BoolVar(&o.decisions, "decisions", false, "list every decision of -games-file with its options")
	f.StringVar(&o.position, "position", "", "`position` whose options, or outcomes of dice, to value as -games-file does")
	f.IntVar(&o.searches, "searches", 0, fmt.Sprintf("estimate values by this `number` of searches from each position (default %d), by -model search:SIMULATIONS or search:SIMULATIONS:MODEL (default %s)", defaultSearches, defaultSearch))
	f.IntVar(&o.rollouts, "rollouts", 0, fmt.Sprintf("estimate values by this `number` of games from each position (default %d), in which -model plays in all seats (default greedy)", defaultRollouts))
	f.Group("Recorded games and positions", "games-file", "decisions", "position", "searches", "rollouts")
	f.IntVar(&o.mistakes, "mistakes", 0, fmt.Sprintf("list the `n` worst mistakes of the model against exact, and the cost of all its mistakes by kind; with -games-file, the n worst mistakes in it (default %d)", defaultMistakes))
	f.BoolVar(&o.table, "table", false, "evaluate all agents of the game, or those of -against, and the model against each other")
	f.StringVar(&o.plot, "plot", "", "`folder` for charts of the positions in which the model loses, as SVG and PNG")
	f.List(&o.compare, "compare", "`runs` to compare, "+cli.Commas+"; with -plot their learning curves in one chart")
	f.BoolVar(&o.json, "json", false, "write one JSON document")
	f.Group("Output", "mistakes", "table", "compare", "json", "plot")
	f.StringVar(&o.checkpoint, "checkpoint", "", "`file` that keeps what is done of a long exact evaluation or match; the same command goes on from it")
	f.Group("Long evaluations", "checkpoint")
	o.cluster.Add(f, "the tables of networks for exact evaluation, and the games of matches")
	o.name = f.Game(catalog.IDs())
	f.Renamed("pool", "tournament")
	f.Renamed("settle", "sequential")
	f.Renamed("blunders", "mistakes")
	f.Example("go run ./cmd/eval -model greedy")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -against greedy -games 20000")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -mistakes 20")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -plot pictures")
	f.Example("go run ./cmd/eval -model runs/martian-dice-2-001 -json")
	f.Example("go run ./cmd/eval -model greedy -players 3 -against random,exact")
	f.Example("go run ./cmd/eval -model search:800 -against greedy -sequential 0.01")
	f.Example("go run ./cmd/eval -game martian-risk -tournament greedy,random,search:50 -games 100")
	f.Example("go run ./cmd/eval -game martian-risk-small -model greedy -exploit 2000000")
	f.Example("go run ./cmd/eval -game pig -model greedy -games 100 -record pig.games")
	f.Example("go run ./cmd/eval -games-file pig.games -mistakes 20")
	f.Example("go run ./cmd/eval -game mars-is-ours -position '0-0@1 start 0 tokens 7-6 hand 4-5 junk 7-7 map ogso/mtmt/sgtm/otso robots o..o/.A../..../o..o labs ...... round 1'")
	f.Example("go run ./cmd/eval -table")
	f.Example("go run ./cmd/eval -model pretrained -players 4 -against exact -cluster 127.0.0.1:4222")
	f.Example("go run ./cmd/eval -model pretrained -players 4 -against exact -checkpoint four.results")
	f.Example("go run ./cmd/eval -compare runs/martian-dice-2-001,runs/martian-dice-2-002 -plot pictures")
	if err := f.Parse(args, stdout); err != nil {
		return nil, err
	}
	var err error
	if o.sample, err = sample(); err != nil {
		return nil, err
	}
	o.given, o.command = f.Given, cli.Command("eval", f.Arguments()...)
	if err := o.cluster.Check(f); err != nil {
		return nil, err
	}
	inParts := o.gamesFile == "" && o.position == "" && o.compare == nil && !f.Given("exploit") && o.record == ""
	switch {
	case o.cluster.Addr != "" && !inParts:
		return nil, cli.Usagef("-cluster is for exact evaluations and for matches without -record")
	case o.checkpoint != "" && !inParts:
		return nil, cli.Usagef("-checkpoint is for exact evaluations and for matches without -record")
	case o.gamesFile != "":
		if more := f.Others("games-file", "model", "policy", "searches", "rollouts", "seed", "mistakes", "decisions", "json", "cache"); more != nil {
			return nil, cli.Usagef("-games-file: the file holds the games, their rules and their players; leave out -%s", more[0])
		}
		return &o, o.checkGamesFile()
	case o.position != "":
		if more := f.Others("position", "game", "players", "game-config", "model", "policy", "searches", "rollouts", "seed", "json", "cache"); more != nil {
			return nil, cli.Usagef("-position: one position is valued; leave out -%s", more[0])
		}
		return &o, o.checkEstimates()
	case f.Given("rollouts") || f.Given("searches") || o.decisions:
		return nil, cli.Usagef("-searches, -rollouts and -decisions are for -games-file or -position")
	case o.compare != nil:
		if f.Others("compare", "plot", "json") != nil {
			return nil, cli.Usagef("-compare can be combined with -plot and -json only")
		}
		return &o, nil
	case o.tournament != nil && (o.model != "" || o.against != nil || o.table || f.Given("sequential") || f.Given("mistakes") || o.plot != "" || o.record != ""):
		return nil, cli.Usagef("-tournament can be combined with -games, -seed and -json only: name all agents in it")
	case f.Given("exploit") && (o.against != nil || o.tournament != nil || o.table || f.Given("sequential") || f.Given("mistakes") || o.plot != "" || o.record != ""):
		return nil, cli.Usagef("-exploit can be combined with -model, -policy, -out, -games, -seed and -json only")
	case f.Given("exploit") && o.exploit < 1:
		return nil, cli.Usagef("-exploit is 0; want at least 1 decision")
	case o.out != "" && o.exploit == 0:
		return nil, cli.Usagef("-out is the folder of -exploit, which is missing")
	case f.Given("sequential") && !(o.sequential > 0 && o.sequential < 1):
		return nil, cli.Usagef("-sequential is %v; want a margin between 0 and 1 such as 0.01", o.sequential)
	case o.tournament != nil && len(o.tournament) < 2:
		return nil, cli.Usagef("-tournament names one agent; want at least 2")
	case o.sequential > 0 && (o.table || o.mistakes > 0 || o.plot != ""):
		return nil, cli.Usagef("-sequential plays a match, but -table, -mistakes and -plot are exact; want one of them")
	case o.model == "" && !o.table && o.tournament == nil:
		return nil, cli.Usagef("-model is missing: name an agent, a model file or a run folder")
	case o.record != "" && (o.games == 0 || o.sequential > 0 || o.table):
		return nil, cli.Usagef("-record is for the match of -games, without -sequential and -table")
	case f.Given("games") && o.games < 1:
		return nil, cli.Usagef("-games is %d; want at least 1", o.games)
	case f.Given("mistakes") && o.mistakes < 1:
		return nil, cli.Usagef("-mistakes is %d; want at least 1", o.mistakes)
	case o.mistakes > 0 && o.table:
		return nil, cli.Usagef("-mistakes is for one -model, without -table")
	case o.plot != "" && o.table:
		return nil, cli.Usagef("-plot is for one -model, without -table")
	case o.games > 0 && o.table:
		return nil, cli.Usagef("-table is exact and plays no -games")
	}
	// The game of a model file is the default.
	meta, err := agents.CommonMeta(o.named())
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	o.name.Default(meta.Game, meta.Config)
	return &o, nil
}

// named lists the agents of the command line.
func (o *options) named() []string {
	if o.model == "" { // with -table or -tournament
		return append(o.tournament, o.against...)
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
	if o.gamesFile != "" || o.position != "" {
		p := &pricer{options: o, bar: cli.NewProgress(stderr)}
		defer p.bar.Clear()
		work := p.price
		if o.position != "" {
			work = p.valuePosition
		}
		r, err := work(ctx)
		if err != nil {
			return err
		}
		p.bar.Clear()
		return show(stdout, o, r, game.Spec{})
	}
	g, err := cli.OpenGame(o.name, catalog.Open)
	if err != nil {
		return err
	}
	s := &session{options: o, game: g, spec: g.Spec(), bar: cli.NewProgress(stderr), opened: map[string]*agents.Agent{}}
	defer s.bar.Clear()
	workers, err := o.cluster.Connect(ctx, "eval", kinds.Fingerprint, kinds.All(), s.bar)
	if err != nil {
		return err
	}
	if workers != nil {
		defer workers.Close()
		s.executor = workers
	}
	if o.checkpoint != "" {
		c, err := s.openCheckpoint()
		if err != nil {
			return err
		}
		defer func() {
			if c.Len() == 0 && ctx.Err() == nil {
				fmt.Fprintln(s.bar, "eval: -checkpoint kept nothing: this is not work in parts; see docs/evaluation.md")
			}
			c.Close()
		}()
		s.executor = c
	}
	r, err := s.evaluate(ctx)
	if err != nil {
		return s.advise(err)
	}
	s.bar.Clear()
	return show(stdout, o, r, s.spec)
}

// advise adds to the error of an evaluation how to go on, where something is kept.
func (s *session) advise(err error) error {
	again := "to go on:\n\n\t" + s.command
	switch kept := s.checkpoint != "" || s.out != ""; {
	case !kept:
		return err
	case errors.Is(err, context.Canceled):
		s.bar.Clear()
		fmt.Fprintln(s.bar, again)
		return err
	case s.checkpoint != "" && errors.Is(err, jobs.ErrNotKept):
		return fmt.Errorf("%w\n%s", err, again)
	}
	return err
}

// show prints a result, or writes its JSON.
func show(stdout io.Writer, o *options, r result, spec game.Spec) error {
	if o.json {
		return cli.WriteJSON(stdout, r)
	}
	return r.print(stdout, spec)
}

// result is the result of an evaluation. Its JSON is that of -json.
type result interface {
	print(w io.Writer, spec game.Spec) error
}

// session is one evaluation.
type session struct {
	*options
	game      env.Game
	spec      game.Spec
	bar       *cli.Progress
	solution  env.Solution             // nil until it is needed
	evaluator *eval.ExactEvaluator     // nil until it is needed
	executor  jobs.Executor            // of workers, or nil
	opened    map[string]*agents.Agent // by name

	steps, total int    // of the exact evaluation, done and expected
	note         string // the present step
}

func (s *session) evaluate(ctx context.Context) (result, error) {
	// A match needs no solution, which can take long.
	matched := s.spec.Players != 2 && s.games > 0 || s.sequential > 0
	switch others := s.spec.Players - 1; {
	case s.exploit > 0 && !(s.spec.HasWin() && others > 0):
		return nil, cli.Usagef("-exploit: the game for %d has no win", s.spec.Players)
	case s.table && !s.spec.HasWin():
		return nil, cli.Usagef("-table: the game for %d has no win", s.spec.Players)
	case others == 0 && s.against != nil:
		return nil, cli.Usagef("-against: there are no other seats")
	case !s.table && len(s.against) > 1 && len(s.against) != others:
		return nil, cli.Usagef("-against names %d agents, and the number of other seats is %d; name one agent, or one for each of these seats", len(s.against), others)
	case s.mistakes > 0 && !s.spec.HasWin():
		return nil, cli.Usagef("-mistakes: the game for %d has no win", s.spec.Players)
	case matched && s.mistakes > 0:
		return nil, cli.Usagef("-mistakes is exact, but -games with more than two players plays a match; want one of them")
	case matched && s.plot != "":
		return nil, cli.Usagef("-plot is exact, but -games with more than two players plays a match; want one of them")
	}
	// Errors in names and files are reported before the game is solved.
	if err := cli.CheckFolder("plot", s.plot); err != nil {
		return nil, err
	}
	if s.record != "" {
		if _, err := os.Lstat(s.record); err == nil {
			return nil, cli.Usagef("-record: %s exists; name another file", s.record)
		}
		if err := atomicfile.Probe(s.record); err != nil {
			return nil, &cli.UsageError{Err: fmt.Errorf("-record: %w", err)}
		}
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
	case s.tournament != nil:
		return s.playTournament(ctx)
	}
	a, err := s.open(ctx, s.model)
	if err != nil {
		return nil, err
	}
	if s.exploit > 0 {
		return s.exploitAgent(ctx, a)
	}
	solved := false
	if !matched || s.against == nil {
		_, err := s.solve(ctx)
		if err != nil && (s.mistakes > 0 || !errors.Is(err, game.ErrNoSolution)) {
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
	case s.sequential > 0:
		return s.sequentialMatch(ctx, seats)
	case !solved || matched:
		return s.match(ctx, seats)
	case !s.spec.HasWin():
		return s.turns(ctx, seats)
	case s.spec.Players == 2:
		return s.pair(ctx, seats)
	}
	return s.multiplayer(ctx, seats)
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

// draw draws charts of the loss of an agent.
func (s *session) draw(ctx context.Context, a *agents.Agent) error {
	e, err := s.exact(ctx)
	if err != nil {
		return err
	}
	charts, err := e.Charts(ctx, a)
	if err != nil {
		return err
	}
	return plot.Write(s.bar, s.plot, charts)
}

// open opens an agent once.
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
