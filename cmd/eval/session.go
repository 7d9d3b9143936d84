package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/cluster/flags"
	"marsgym/internal/jobs"
)

// session is one call of a command.
type session struct {
	*cli.Flags
	bar        *cli.Progress
	name       *cli.Game
	model      string
	against    []string
	sample     bool
	seed       uint64
	games      int
	record     string // file for the games of a match
	mistakes   int
	plot       string // folder of charts
	cluster    flags.Flags
	checkpoint string // file of results

	agents    *cli.Agents // of the game
	spec      game.Spec
	executor  jobs.Executor        // of workers, or nil
	evaluator *eval.ExactEvaluator // nil until it is needed

	steps, total int    // of the exact evaluation, done and expected
	note         string // the present step
}

// gameFlags defines the flags of evaluations of agents in a game.
func (s *session) gameFlags() {
	s.Policy(&s.sample)
	s.Uint64Var(&s.seed, "seed", 1, "`seed` of matches and searches")
	s.StringVar(&s.checkpoint, "checkpoint", "", "save work in this `file`; the same command continues it")
	s.cluster.Add(s.Flags, "`address` of the workers' broker")
	s.name = s.Game()
}

// seatFlags defines the flags of evaluations of an agent against others.
func (s *session) seatFlags() {
	s.StringVar(&s.model, "model", "", "`agent` to measure: a name, a model file or a run folder")
	s.List(&s.against, "against", "`agents` in the other seats: one for all, or one per seat")
	s.StringVar(&s.record, "record", "", "write the games of the match to this new `file`")
	s.gameFlags()
}

// evaluate opens the game and the agents of these names, with -cluster and -checkpoint, and does
// the work. Errors in names and files are reported before the game is solved.
func (s *session) evaluate(ctx context.Context, names []string, do work) (r result, err error) {
	switch {
	case s.Given("games") && s.games < 1:
		return nil, cli.Usagef("-games is %d; want at least 1", s.games)
	case s.games > eval.MaxGames:
		return nil, cli.Usagef("-games is %d; want at most %d", s.games, eval.MaxGames)
	case s.record != "" && (s.cluster.Addr != "" || s.checkpoint != ""):
		return nil, cli.Usagef("-record keeps the games of a match without -cluster and -checkpoint; leave those out")
	}
	if err := s.cluster.Check(s.Flags); err != nil {
		return nil, err
	}
	if s.checkpoint != "" {
		if err := s.name.CheckAgain("checkpoint"); err != nil {
			return nil, err
		}
	}
	if err := s.name.DefaultOf(names); err != nil {
		return nil, err
	}
	g, err := s.name.Open()
	if err != nil {
		return nil, err
	}
	s.spec = g.Spec()
	s.agents = &cli.Agents{Game: g, Sample: s.sample, Seed: s.seed, Cache: s.name.CacheDir(), Command: s.Name(), Bar: s.bar}
	workers, err := s.cluster.Connect(ctx, s.Name(), s.spec.ID, s.bar)
	if err != nil {
		return nil, err
	}
	defer workers.Close()
	s.executor = workers.Executor()
	var kept *jobs.Checkpoint
	if s.checkpoint != "" {
		if kept, err = s.openCheckpoint(); err != nil {
			return nil, err
		}
		defer kept.Close()
		s.executor = kept
	}
	if err := s.checkFiles(); err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == agents.Exact {
			continue
		}
		if _, err := s.agents.Open(ctx, name); err != nil {
			return nil, err
		}
	}
	r, err = do(ctx)
	if kept == nil {
		return r, err
	}
	command := cli.Command(s.Name(), s.Arguments()...)
	switch interrupted := errors.Is(err, context.Canceled); {
	case kept.Asked() == 0 && err == nil:
		fmt.Fprintf(s.bar, "%s: -checkpoint was ignored: this evaluation runs in one piece; see docs/evaluation.md\n", s.Name())
	case kept.Len() == 0 && interrupted:
		fmt.Fprintf(s.bar, "%s: no part had ended, so nothing is kept; to begin again:\n\n\t%s\n", s.Name(), command)
	case interrupted:
		fmt.Fprintf(s.bar, "%s: %d finished parts are kept, and those under way are lost; to go on:\n\n\t%s\n", s.Name(), kept.Len(), command)
	case kept.Len() > 0 && errors.Is(err, jobs.ErrNotKept):
		err = fmt.Errorf("%w\nto go on:\n\n\t%s", err, command)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// checkMatch returns an error if the game has no matches.
func (s *session) checkMatch() error {
	if !s.spec.HasWin() {
		return cli.Usagef("%s counts %s, not wins, so there are no matches", s.spec.FullTitle(), s.spec.Unit)
	}
	return nil
}

// checkFiles returns an error if -plot is no folder, or -record no new file.
func (s *session) checkFiles() error {
	if err := cli.CheckFolder("plot", s.plot); err != nil || s.record == "" {
		return err
	}
	if _, err := os.Lstat(s.record); err == nil {
		return cli.Usagef("-record: %s exists; name another file", s.record)
	}
	if err := atomicfile.Probe(s.record); err != nil {
		return &cli.UsageError{Err: fmt.Errorf("-record: %w", err)}
	}
	return nil
}

// seats returns the agents of an evaluation [P], the model first, and whether the game is
// solved. It solves the game if it must be, or for the default of -against.
func (s *session) seats(ctx context.Context, solve bool) (seats []*agents.Agent, solved bool, err error) {
	if err := cli.CheckSeats("against", s.against, s.spec.Players-1, "other seats"); err != nil {
		return nil, false, err
	}
	if solve || s.against == nil {
		_, err := s.agents.Solve(ctx)
		if err != nil && (s.mistakes > 0 || !errors.Is(err, game.ErrNoSolution)) {
			return nil, false, err
		}
		solved = err == nil
	}
	names := []string{s.model}
	for i := range s.spec.Players - 1 {
		switch {
		case s.against != nil:
			names = append(names, s.against[i%len(s.against)])
		case solved:
			names = append(names, agents.Exact)
		default:
			names = append(names, agents.BestBot(s.agents.Game))
		}
	}
	seats, err = s.agents.OpenAll(ctx, names)
	return seats, solved, err
}
