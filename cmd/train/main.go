// Command train trains a network by self-play and says how strong it is.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Status(stderr, "train", trainCommand(ctx, args, stdout, stderr))
}

func trainCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	set, err := parse(args, stdout)
	if err != nil {
		return err
	}
	g, err := catalog.Open(set.Game, 0, set.GameConfig)
	if err != nil {
		return err
	}
	spec := g.Spec()
	bar := cli.NewProgress(stderr)
	defer bar.Clear()
	judge, err := newJudge(ctx, g, set.cache, bar)
	if err != nil {
		return err
	}
	dir := set.dir
	if !set.resume {
		if dir, err = makeFolder(dir, spec); err != nil {
			return err
		}
		if err := set.save(dir); err != nil {
			os.Remove(dir)
			return err
		}
	}
	opt := train.Options{Game: g, Dir: dir, Learner: learner, Resume: set.resume}
	if judge != nil {
		opt.Evaluate = func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
			return strength(ctx, judge, spec, mlp)
		}
	}
	var last train.Metrics
	var exact *models.Exact // the latest
	opt.Report = func(m train.Metrics) {
		last = m
		if m.Exact != nil {
			exact = m.Exact
			fmt.Fprintf(bar, "%s\n", line(m))
		}
		bar.Set(m.Done, note(m, exact))
	}
	fmt.Fprintf(stdout, "training %s for %d by %s, %d decisions, into %s\n", spec.Title, spec.Players, set.Train.Algorithm, set.Train.Steps, dir)
	start := time.Now()
	_, err = train.Run(ctx, set.Train, opt)
	bar.Clear()
	if errors.Is(err, train.ErrInterrupted) {
		fmt.Fprintf(stdout, "stopped at decision %d of %d; to go on:\n\n\tgo run ./cmd/train -resume %s\n", last.Steps, set.Train.Steps, dir)
		return nil
	}
	if err != nil {
		if _, missing := os.Stat(filepath.Join(dir, train.CheckpointFile)); missing == nil {
			err = fmt.Errorf("%w\nthe last checkpoint is kept; to go on from it:\n\n\tgo run ./cmd/train -resume %s", err, dir)
		}
		return err
	}
	fmt.Fprintf(stdout, "trained in %s\n\n", time.Since(start).Round(time.Second))
	return report(ctx, stdout, g, judge, dir)
}

// learner makes a learner of the default backend.
func learner(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
	return gorgonia.New(mlp, cfg)
}

// newJudge solves the game, if a network of it can be evaluated exactly in
// reasonable time: where two play for a win.
func newJudge(ctx context.Context, g env.Game, cache string, bar *cli.Progress) (*eval.Judge, error) {
	spec := g.Spec()
	if !spec.HasWin() || spec.Players != 2 {
		return nil, nil
	}
	s, err := g.SolveIn(ctx, cache, func(done float64) { bar.Set(done, "solving "+spec.Title) })
	if errors.Is(err, game.ErrNoSolution) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return eval.NewJudge(g, s)
}

// strength is the exact strength of a network's best actions.
func strength(ctx context.Context, judge *eval.Judge, spec game.Spec, mlp *models.MLP) (*models.Exact, error) {
	p, err := judge.Strength(ctx, &agents.Agent{Name: "network", Policy: agents.NewNet(spec, mlp, false)})
	if err != nil {
		return nil, err
	}
	return &models.Exact{WinFirst: p.WinFirst, WinSecond: p.WinSecond, Exploitability: p.Exploitability}, nil
}

// note is what the progress bar says: the speed, and the latest exact strength.
func note(m train.Metrics, exact *models.Exact) string {
	text := fmt.Sprintf("%.0f steps/s", m.StepsPerS)
	if exact != nil {
		text += fmt.Sprintf(", exploitability %.4f", exact.Exploitability)
	}
	return text
}

// line tells of an evaluation during training.
func line(m train.Metrics) string {
	return fmt.Sprintf("%10d steps  %5.0f s  %9.0f steps/s  entropy %.3f  wins %.4f against optimal play  exploitability %.5f",
		m.Steps, m.Seconds, m.StepsPerS, m.Entropy, (m.Exact.WinFirst+m.Exact.WinSecond)/2, m.Exact.Exploitability)
}

// makeFolder makes the run folder, which must not exist; without a name it takes
// the first that is free.
func makeFolder(dir string, spec game.Spec) (string, error) {
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
		dir := filepath.Join("runs", fmt.Sprintf("%s-%d-%03d", spec.ID, spec.Players, i))
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
}

// report says how strong the trained model is.
func report(ctx context.Context, w io.Writer, g env.Game, judge *eval.Judge, dir string) error {
	spec := g.Spec()
	a, err := agents.Open(ctx, dir, agents.Options{Game: g})
	if err != nil {
		return err
	}
	model := filepath.Join(dir, agents.ModelFile)
	switch {
	case judge != nil:
		p, err := judge.Strength(ctx, a)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s against optimal play, exactly, over %d decisions:\n\n", model, p.Cost.Decisions)
		fmt.Fprintf(w, "\twins moving first    %.6f\n\twins moving second   %.6f\n\twins                 %.6f\n\texploitability       %.6f\n\n",
			p.WinFirst, p.WinSecond, p.Win, p.Exploitability)
	case spec.HasWin():
		if err := sampled(ctx, w, g, a); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "evaluate it    go run ./cmd/eval -model %s -against greedy\nplay it        go run ./cmd/play -opponent %s%s\n", dir, dir, gameFlags(spec))
	return nil
}

// sampled plays a match against the game's last-named player.
func sampled(ctx context.Context, w io.Writer, g env.Game, a *agents.Agent) error {
	names := g.PlayerNames()
	b, err := agents.Open(ctx, names[len(names)-1], agents.Options{Game: g})
	if err != nil {
		return err
	}
	who := []*agents.Agent{a}
	for len(who) < g.Spec().Players {
		who = append(who, b)
	}
	const games = 20_000
	m, err := eval.Rotate(ctx, g, who, games, 1, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "wins %.4f [%.4f, %.4f] of %d games against %s in the other seats\n\n", m.Win[0], m.Low[0], m.High[0], m.Games, b.Name)
	return nil
}

// gameFlags are the flags that name a game other than the default.
func gameFlags(spec game.Spec) string {
	var b strings.Builder
	if spec.ID != catalog.List()[0].ID {
		b.WriteString(" -game " + spec.ID)
	}
	if spec.Players != 2 {
		fmt.Fprintf(&b, " -players %d", spec.Players)
	}
	return b.String()
}
