// Command train trains a network by self-play and says how strong it is.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/models"
	"marsgym/train"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("train", stdout, stderr, func(stdout io.Writer) error { return trainCommand(ctx, args, stdout, stderr) })
}

func trainCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stdout)
	if err != nil {
		return err
	}
	g := c.game
	s := &session{game: g, spec: g.Spec(), stdout: stdout, bar: cli.NewProgress(stderr)}
	defer s.bar.Clear()
	if s.judge, err = newJudge(ctx, g, c.cache, s.bar); err != nil {
		return err
	}
	s.bar.Clear()
	if c.plan != nil {
		return s.sweep(ctx, c)
	}
	return s.train(ctx, c)
}

// session is one call of the command.
type session struct {
	game   env.Game
	spec   game.Spec
	judge  *eval.ExactEvaluator // nil where strength is not exact
	stdout io.Writer
	bar    *cli.Progress // on standard error
}

// train makes a run or goes on with one.
func (s *session) train(ctx context.Context, c call) (err error) {
	dir, verb := c.dir, "going on with"
	if !c.resume {
		verb = "training"
		if dir, err = makeFolder(dir, fmt.Sprintf("%s-%d", s.spec.ID, s.spec.Players)); err != nil {
			return err
		}
		if err := c.save(dir); err != nil {
			os.Remove(dir)
			return err
		}
	}
	fmt.Fprintf(s.stdout, "%s %s for %d by %s, %d decisions, into %s\n", verb, s.spec.Title, s.spec.Players, c.Train.Algorithm, c.Train.Steps, dir)
	start := time.Now()
	var last train.Metrics
	err = s.fit(ctx, c.settings, dir, c.resume, func(m train.Metrics, exact *models.Exact) {
		if m.Exact != nil || s.judge == nil && int(10*m.Done) > int(10*last.Done) {
			fmt.Fprintln(s.bar, line(m))
		}
		last = m
		s.bar.Set(m.Done, note(m, exact))
	})
	if errors.Is(err, train.ErrInterrupted) {
		fmt.Fprintf(s.stdout, "stopped at decision %d of %d; to go on:\n\n\tgo run ./cmd/train -resume %s\n", last.Steps, c.Train.Steps, dir)
		return ctx.Err()
	}
	if err != nil {
		return advise(err, dir)
	}
	fmt.Fprintf(s.stdout, "trained in %s\n\n", time.Since(start).Round(time.Second))
	undrawn := s.draw(dir, map[string]string{dir: filepath.Base(dir)})
	err = s.report(ctx, dir, c.Train.Steps)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(s.stdout, "stopped before it was said how strong it is; the trained model is saved:\n\n")
		s.offer(dir)
		return err
	}
	if err != nil {
		return fmt.Errorf("%s holds the trained model, but how strong it is cannot be said: %w", dir, err)
	}
	s.tellPicture(dir, undrawn)
	return nil
}

// fit trains in a run folder. It reports each iteration with the latest exact
// strength, nil as long as there is none.
func (s *session) fit(ctx context.Context, set settings, dir string, resume bool, report func(train.Metrics, *models.Exact)) error {
	opt := train.Options{Game: s.game, Dir: dir, Learner: set.learner, Backend: set.Backend, Resume: resume}
	var exact *models.Exact
	opt.Report = func(m train.Metrics) {
		if m.Exact != nil {
			exact = m.Exact
		}
		report(m, exact)
	}
	if s.judge != nil {
		opt.Evaluate = lenient(s.bar, func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
			s.bar.Add(", evaluating")
			return strength(ctx, s.judge, s.spec, mlp)
		})
	}
	defer s.bar.Clear()
	_, err := train.Run(ctx, set.Train, opt)
	return err
}

// evaluation is the exact strength of a network.
type evaluation func(context.Context, *models.MLP) (*models.Exact, error)

// lenient lets a run go on without exact values where an evaluation fails, and
// says so once.
func lenient(log io.Writer, evaluate evaluation) evaluation {
	said := false
	return func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
		x, err := evaluate(ctx, mlp)
		if err == nil || errors.Is(err, context.Canceled) {
			return x, err
		}
		if !said {
			fmt.Fprintf(log, "train: an evaluation failed, and training goes on: %v\n", err)
		}
		said = true
		return nil, nil
	}
}

// advise says how to go on after an error of a run.
func advise(err error, dir string) error {
	config := filepath.Join(dir, train.ConfigFile)
	if errors.Is(err, models.ErrDiverged) {
		return fmt.Errorf("%w\n-resume %s would go the same way again, under the same settings; start anew from a copy of %s with a lower \"rate\":\n\n\tgo run ./cmd/train -config COPY", err, dir, config)
	}
	if errors.Is(err, train.ErrSettings) {
		return fmt.Errorf("%w: go run ./cmd/train -config %s", err, config)
	}
	return fmt.Errorf("%w\nto go on from the last checkpoint:\n\n\tgo run ./cmd/train -resume %s", err, dir)
}

// newJudge solves the game, if a network of it can be evaluated exactly in
// reasonable time: where two play for a win.
func newJudge(ctx context.Context, g env.Game, cache string, bar *cli.Progress) (*eval.ExactEvaluator, error) {
	spec := g.Spec()
	if !spec.HasWin() || spec.Players != 2 {
		return nil, nil
	}
	s, err := g.SolveCached(ctx, cache, func(done float64) { bar.Set(done, "solving "+spec.Title) }, cli.NotCached(bar, "train"))
	if errors.Is(err, game.ErrNoSolution) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return eval.NewExactEvaluator(g, s)
}

// strength is the exact strength of a network's best actions.
func strength(ctx context.Context, judge *eval.ExactEvaluator, spec game.Spec, mlp *models.MLP) (*models.Exact, error) {
	p, err := judge.Strength(ctx, &agents.Agent{Name: "network", Policy: agents.NewNet(spec, mlp, false)})
	if err != nil {
		return nil, err
	}
	return &models.Exact{WinFirst: p.WinFirst, WinSecond: p.WinSecond, Exploitability: p.Exploitability}, nil
}

// speed is the mean over a run; that of one short iteration jumps about.
func speed(m train.Metrics) float64 { return float64(m.Steps) / m.Seconds }

// note is what the progress bar says: the speed, and the latest exact strength.
func note(m train.Metrics, exact *models.Exact) string {
	text := fmt.Sprintf("%.0f steps/s", speed(m))
	if exact != nil {
		text += fmt.Sprintf(", exploitability %.4f", exact.Exploitability)
	}
	return text
}

// line tells of an iteration.
func line(m train.Metrics) string {
	text := fmt.Sprintf("%10d steps  %5.0f s  %9.0f steps/s  entropy %.3f", m.Steps, m.Seconds, speed(m), m.Entropy)
	if x := m.Exact; x != nil {
		text += fmt.Sprintf("  wins %.4f against optimal play  exploitability %.5f", x.Win(), x.Exploitability)
	}
	return text
}

// makeFolder makes a folder, which must not exist; without a name it takes the
// first that is free of those in runs that begin so.
func makeFolder(dir, begin string) (string, error) {
	if dir != "" {
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return "", err
		}
		err := os.Mkdir(dir, 0o777)
		if errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("%s exists, and nothing in it is overwritten; choose another -out, or go on with -resume %s", dir, dir)
		}
		return dir, err
	}
	if err := os.MkdirAll("runs", 0o777); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		dir := filepath.Join("runs", fmt.Sprintf("%s-%03d", begin, i))
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
}

// report says how strong the model is after a training of so many decisions.
func (s *session) report(ctx context.Context, dir string, steps uint64) error {
	w, spec := s.stdout, s.spec
	a, err := agents.Open(ctx, dir, agents.Options{Game: s.game})
	if err != nil {
		return err
	}
	model := filepath.Join(dir, agents.ModelFile)
	switch {
	case s.judge != nil:
		p, err := s.judge.Strength(ctx, a)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s against optimal play, exactly, over %d decisions:\n\n", model, p.Cost.Decisions)
		fmt.Fprintf(w, "\twins moving first    %.6f\n\twins moving second   %.6f\n\twins                 %.6f\n\texploitability       %.6f\n\n",
			p.WinFirst, p.WinSecond, p.Win, p.Exploitability)
	case spec.HasWin():
		if err := sampled(ctx, w, s.game, a, steps, s.bar); err != nil {
			return err
		}
	}
	s.offer(dir)
	return nil
}

// offer says what to do with a trained model.
func (s *session) offer(dir string) {
	fmt.Fprintf(s.stdout, "evaluate it    go run ./cmd/eval -model %s -against greedy\n", dir)
	const patience = 3600 // chosen: where solving takes an hour, evaluating takes days
	if e, ok := s.game.Estimate(); ok && s.spec.Players > 2 && e.CoreSeconds < patience {
		fmt.Fprintf(s.stdout, "or exactly     go run ./cmd/eval -model %s -against exact    (asks about every position; minutes for three)\n", dir)
	}
	fmt.Fprintf(s.stdout, "play it        go run ./cmd/play -opponent %s\n", dir)
}
