package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/cluster"
	"marsgym/models"
	"marsgym/train"
	"marsgym/train/sweep"
)

// sweep trains with all settings of a plan, or resumes that.
func (s *session) sweep(ctx context.Context, c call) error {
	dir, err := c.dir, error(nil)
	if _, err := os.Lstat(filepath.Join(dir, sweep.File)); dir == "" || errors.Is(err, os.ErrNotExist) {
		if dir, err = makeFolder(dir, "sweep"); err != nil {
			return err
		}
	}
	if err := c.plan.Prepare(dir); err != nil {
		return adviseOther(err)
	}
	total := c.plan.Runs()
	fmt.Fprintf(s.stdout, "%d runs of %s, into %s\n", total, s.spec.FullTitle(), dir)
	if s.workers, err = c.cluster.Connect(ctx, "train", s.spec.ID, s.bar); err != nil {
		return err
	}
	defer s.workers.Close()
	folder, err := os.Stat(dir) // to find it if it is renamed
	if err != nil {
		return err
	}
	trials, err := c.plan.Run(ctx, s.sweepOptions(c.plan, dir))
	s.bar.Clear()
	dir = present(dir, folder)
	file := c.sweep
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() { // a pipe, which nobody reads again
		file = filepath.Join(dir, sweep.File)
	}
	again := c.command("-sweep", file, "-out", dir)
	var bad *sweep.RunError
	switch {
	case errors.Is(err, sweep.ErrOther):
		return adviseOther(err)
	case errors.Is(err, cluster.ErrDiffer): // its checkpoints may be wrong
		return err
	case errors.Is(err, train.ErrInterrupted):
		at := ""
		if s.workers.Executor() == nil { // else runs are at once
			at = fmt.Sprintf(" in run %d of %d", len(trials)+1, total)
		}
		fmt.Fprintf(s.stdout, "interrupted%s; to go on:\n\n\t%s\n", at, again)
		return ctx.Err()
	case errors.Is(err, train.ErrCheckpoint) && errors.As(err, &bad):
		return fmt.Errorf("%w\nto move its folder away and train that run again:\n\n\tmv %s %s && %s", err, cli.Argument(bad.Dir), cli.Argument(bad.Dir+".damaged"), again)
	case err != nil:
		return fmt.Errorf("%w\nto go on:\n\n\t%s", err, again)
	}
	if ofSeeds(c.plan) {
		return s.endSeeds(c, dir, trials)
	}
	names, best := best(c.plan, trials)
	if c.plan.League != nil {
		if best, err = s.league(ctx, dir, c.plan.League, trials); err == nil {
			err = keepBest(dir, best)
		}
		if errors.Is(err, context.Canceled) {
			fmt.Fprintf(s.stdout, "stopped in the league; to go on:\n\n\t%s\n", again)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.stdout, "\nthe best is %s; its model is also %s\n", best, filepath.Join(dir, agents.ModelFile))
	}
	if slices.ContainsFunc(trials, func(t sweep.Trial) bool { return t.Diverged == nil }) {
		fmt.Fprintf(s.stdout, "\ntrain the best %s\n", c.command("-config", filepath.Join(best, train.ConfigFile)))
	}
	s.reportCurve(dir, s.drawCurve(dir, names))
	return nil
}

// checkSweep returns an error if the runs cannot be ordered.
func (s *session) checkSweep(ctx context.Context, c call) error {
	l := c.plan.League
	switch {
	case l == nil && ofSeeds(c.plan):
		return nil
	case l == nil && !(eval.Exploitable(s.spec) && env.Solvable(s.game)):
		return cli.Usagef("a sweep is ordered by exact strength, and %s has none that is quick to compute; add \"league\": {} to %s for matches between the runs, or sweep a game for two", s.spec.FullTitle(), c.sweep)
	case l == nil:
		return nil
	case !s.spec.HasWin():
		return cli.Usagef("league: %s counts %s, not wins, so there are no matches", s.spec.FullTitle(), s.spec.Unit)
	}
	if l.Games > eval.MaxGames || l.Lookahead != nil && *l.Lookahead > agents.MaxPlies {
		return cli.Usagef("league: at most %d games and look-ahead by %d plies", eval.MaxGames, agents.MaxPlies)
	}
	for _, name := range l.Against {
		if name == agents.Exact && env.Solvable(s.game) { // it opens when the game is solved
			continue
		}
		if _, err := s.agents.Open(ctx, name); err != nil {
			return &cli.UsageError{Err: fmt.Errorf("league.against: %w", err)}
		}
	}
	return nil
}

// sweepOptions returns the options of the runs of a plan: each shows its progress in the bar,
// and what it has added to the table at its end.
func (s *session) sweepOptions(p *sweep.Plan, dir string) sweep.Options {
	total, done, shown := p.Runs(), map[int]float64{}, map[int]*progress{}
	evaluate := s.evaluate()
	opt := sweep.Options{
		Dir: dir, Learner: newLearner, Match: s.matches(), Executor: s.workers.Executor(),
		Report: func(k int, m train.Metrics) {
			done[k] = m.Done
			sum := 0.0
			for _, x := range done {
				sum += x
			}
			if shown[k] == nil {
				shown[k] = &progress{}
			}
			shown[k].add(m)
			s.bar.Set(sum/float64(total), fmt.Sprintf("run %d of %d, %s", k+1, total, s.note(shown[k])))
		},
		Ended: func(trials []sweep.Trial, trained bool) error {
			evaluate = s.evaluate()
			s.bar.Clear()
			k := len(trials)
			done[k-1] = 1 // also if it ended before the sweep was stopped
			if t := trials[k-1]; t.Diverged != nil {
				fmt.Fprintf(s.bar, "%s: %v\n", t.Dir, t.Diverged)
			}
			if !trained && k < total {
				return nil // it was printed before the sweep was stopped
			}
			if s.exact == nil || ofSeeds(p) {
				_, err := fmt.Fprintf(s.stdout, "run %d of %d has ended: %s\n", k, total, trials[k-1].Dir)
				return err
			}
			return cli.Write(s.stdout, false, nil, func(b *strings.Builder) {
				fmt.Fprintf(b, "\nafter run %d of %d, ", k, total)
				printTable(b, p, trials)
			})
		},
	}
	if s.exact != nil {
		opt.Evaluate = func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) { return evaluate(ctx, mlp) }
	}
	return opt
}

// adviseOther adds to [sweep.ErrOther] how to choose another folder.
func adviseOther(err error) error {
	if errors.Is(err, sweep.ErrOther) {
		return cli.Usagef("%w with -out", err)
	}
	return err
}
