// Command train trains a network by self-play and reports its strength.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/cluster"
	"marsgym/internal/cluster/flags"
	"marsgym/internal/figure"
	"marsgym/internal/kernel/simd"
	"marsgym/models"
	"marsgym/train"
	"marsgym/train/sweep"
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
	bar := cli.NewProgress(stderr)
	defer bar.Clear()
	s := &session{
		game: c.game, spec: c.game.Spec(), cache: c.cacheFlag, mode: c.evaluate, stdout: stdout, bar: bar,
		agents: &cli.Agents{Game: c.game, Cache: c.cache, Command: "train", Bar: bar},
	}
	if c.json && c.exploit == nil {
		s.json, s.stdout = stdout, bar
	}
	if c.exploit == nil {
		if err := s.check(ctx, c); err != nil {
			return err
		}
	}
	ctx, stop := cli.LimitMemory(ctx, c.memory(), "train.memory allows")
	defer stop()
	if c.exploit == nil && c.evaluates() {
		err = s.solve(ctx)
	}
	switch {
	case err != nil:
	case c.exploit != nil:
		err = s.exploit(ctx, c)
	case c.plan != nil:
		err = s.sweep(ctx, c)
	default:
		err = s.train(ctx, c)
	}
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && errors.Is(cause, cli.ErrMemory) {
		err = errors.New(cause.Error() + "; lower train.rows or train.hidden, set train.evaluations to 0 if the exact solution takes it, or raise train.memory")
	}
	return err
}

// session is one call of the command.
type session struct {
	game   env.Game
	spec   game.Spec
	agents *cli.Agents
	cache  []string             // the arguments of -cache
	exact  *eval.ExactEvaluator // nil where strength is not exact
	latest *eval.Pair           // the strength at the latest evaluation; nil if it failed
	mode   string               // of -evaluate
	stdout io.Writer            // standard error with -json
	json   io.Writer            // where the result is written with -json, else nil
	bar    *cli.Progress        // on standard error

	steps     uint64            // of the run
	lookahead []lookaheadResult // at the end of a run
	last      *eval.Match       // at the end of a run

	workers flags.Workers
}

// check returns an error for what would end the runs of a call, or their comparison, only after
// work: before the game is solved.
func (s *session) check(ctx context.Context, c call) error {
	if c.resume {
		return c.checkResume()
	}
	if c.plan != nil {
		if err := s.checkSweep(ctx, c); err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(c.dir, sweep.File)); c.dir != "" && err == nil {
			return adviseOther(c.plan.Prepare(c.dir))
		}
	}
	if _, err := os.Lstat(c.dir); c.dir != "" && err == nil {
		return taken(filepath.Clean(c.dir))
	}
	return nil
}

// checkResume returns an error for a run that cannot be resumed under its settings.
func (c *call) checkResume() error {
	err := train.CheckResume(c.Train, train.Options{Game: c.game, Dir: c.dir, Backend: c.Backend})
	if err != nil {
		err = c.advise(err, c.dir)
	}
	return err
}

// evaluates reports whether a run of the call is evaluated.
func (c *call) evaluates() bool {
	if c.plan == nil {
		return c.Train.Evaluations > 0
	}
	return slices.ContainsFunc(c.plan.Variants, func(v sweep.Variant) bool { return v.Runs[0].Train.Evaluations > 0 })
}

// memory returns the bytes that the process may use, which is the most of its runs, or 0 for what
// the machine has.
func (c *call) memory() uint64 {
	most := c.Train.Memory
	if c.plan != nil {
		for _, v := range c.plan.Variants {
			m := v.Runs[0].Train.Memory
			if m == 0 {
				return 0
			}
			most = max(most, m)
		}
	}
	return uint64(most * (1 << 30))
}

func (s *session) train(ctx context.Context, c call) (err error) {
	if c.minutes > 0 {
		if err := s.fitMinutes(ctx, &c); err != nil {
			return err
		}
	}
	dir, verb, long := c.dir, "going on with", ""
	if !c.resume {
		verb = "training"
		if c.Backend == train.DefaultBackend {
			minutes, err := c.Train.CPUMinutes(s.game)
			if err != nil {
				return err
			}
			if minutes >= longMinutes {
				long = fmt.Sprintf(", about %.0f CPU-minutes", minutes)
			}
		}
		if dir, err = makeFolder(dir, fmt.Sprintf("%s-%d", s.spec.ID, s.spec.Players)); err != nil {
			return err
		}
		err = c.Save(dir)
		if err == nil && c.start != nil {
			err = c.start.Save(filepath.Join(dir, train.StartFile))
		}
		if err != nil {
			os.RemoveAll(dir)
			return err
		}
	} else if c.more > 0 {
		if c.Settings, err = c.Prolong(c.game, dir, c.more); err != nil {
			return err
		}
	}
	s.steps = c.Train.Steps
	fmt.Fprintf(s.stdout, "%s %s by %s, %d decisions%s, with %s kernels, into %s\n",
		verb, s.spec.FullTitle(), c.Train.Algorithm, c.Train.Steps, long, simd.Active(), dir)
	if len(c.shortened) > 0 {
		fmt.Fprintf(s.stdout, "the run is so short that it changes %s\n", strings.Join(c.shortened, ", "))
	}
	if simd.Active() == simd.Go {
		fmt.Fprintf(s.bar, "train: the kernels are in plain Go, without assembly; a run takes about %s as long as with avx2 kernels\n", withoutAssembly)
	}
	if s.workers, err = c.cluster.Connect(ctx, "train", s.spec.ID, s.bar); err != nil {
		return c.advise(err, dir)
	}
	defer s.workers.Close()
	start := time.Now()
	folder, err := os.Stat(dir)
	if err != nil {
		return err
	}
	var (
		last  train.Metrics
		shown progress
	)
	_, err = train.Run(ctx, c.Train, train.Options{
		Game: s.game, Dir: dir, Backend: c.Backend, Evaluate: s.evaluate(), Match: s.matches(), Resume: c.resume, Start: c.startNetwork(),
		EvaluationRows: s.evaluationRows(c.Train.Head),
		Learner:        newLearner(c.Settings), Executor: s.workers.Executor(),
		Report: func(m train.Metrics) {
			shown.add(m)
			if m.Exact != nil || m.Matches != nil || s.exact == nil && int(10*m.Done) > int(10*last.Done) {
				fmt.Fprintln(s.bar, shown.line(m, s.bar.Columns()))
			}
			last = m
			s.bar.Set(m.Done, s.note(&shown))
		},
	})
	s.bar.Clear()
	dir = present(dir, folder)
	if errors.Is(err, train.ErrInterrupted) {
		fmt.Fprintf(s.stdout, "%v; to go on:\n\n\t%s\n", err, c.command("-resume", dir))
		return ctx.Err()
	}
	if err != nil {
		return c.advise(err, dir)
	}
	if last.Iteration == 0 {
		fmt.Fprint(s.stdout, "the run had ended before")
	} else {
		fmt.Fprintf(s.stdout, "trained in %s", seconds(last.Seconds))
		if took := time.Since(start).Seconds(); c.resume {
			fmt.Fprintf(s.stdout, " in all, this session took %s", seconds(took))
		} else if last.Evaluations > 0 {
			fmt.Fprintf(s.stdout, ", %s with evaluations", seconds(took))
		}
	}
	if n, most := last.Evaluations, c.Train.Evaluations; n > 0 && n < most {
		fmt.Fprintf(s.stdout, "; %d of %d evaluations, to take at most a quarter of the time", n, most)
	}
	if t, ok := s.workers.Status(); ok {
		fmt.Fprintf(s.stdout, ", waited for workers %.0f %% of the time since the first job, %d results of workers, %.1f MB sent and %.1f MB received", 100*t.Waiting, t.Results, float64(t.BytesOut)/1e6, float64(t.BytesIn)/1e6)
	}
	fmt.Fprint(s.stdout, "\n\n")
	curveErr := s.drawCurve(dir, map[string]string{dir: filepath.Base(dir)})
	if c.Train.Evaluations > 0 {
		err = s.report(ctx, dir, c.Train.Steps, last.Seconds)
	} else {
		s.suggest(dir, dir)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(s.stdout, "interrupted in the evaluation; the trained model is saved:\n\n")
		s.suggest(dir, dir)
		return err
	}
	if err != nil {
		return fmt.Errorf("%s holds the trained model; its evaluation failed: %w", dir, err)
	}
	s.reportCurve(dir, curveErr)
	r, err := s.result(dir, c.Settings)
	if err != nil {
		return err
	}
	r.Lookahead, r.Match = s.lookahead, s.last
	return s.answer(r)
}

// seconds formats a time: 0.35 s, 12 s, 3m25s.
func seconds(s float64) string {
	if s < 10 {
		return figure.Digits(s, 0) + " s"
	}
	if d := time.Duration(s * float64(time.Second)).Round(time.Second); d >= time.Minute {
		return d.String()
	}
	return fmt.Sprintf("%.0f s", s)
}

// withoutAssembly is how many times as long a run takes with kernels in plain Go. Measured
// for three players of Martian Dice on one core: 16 to 24 times with ppo and turn-exact.
const withoutAssembly = "20 times"

// evaluation returns the exact strength of a network.
type evaluation func(context.Context, *models.MLP) (*models.Exact, error)

// evaluate returns the evaluation for one run of a network that takes its best
// actions, nil if strength is not exact.
func (s *session) evaluate() evaluation {
	if s.exact == nil {
		return nil
	}
	return lenient(s.bar, func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
		s.bar.Wait("evaluating exactly")
		s.latest = nil
		p, err := s.exact.Strength(ctx, &agents.Agent{Name: "network", Policy: agents.NewNet(s.spec, mlp, false)})
		if err != nil {
			return nil, err
		}
		s.latest = &p
		return &models.Exact{WinFirst: p.WinFirst, WinSecond: p.WinSecond, Exploitability: p.Exploitability}, nil
	})
}

// evaluationRows returns the cost of an evaluation of a network with a policy head.
func (s *session) evaluationRows(head models.Head) int {
	if s.exact == nil {
		return 0
	}
	return s.exact.Rows(head == models.Score)
}

// lenient lets a run go on without exact values where an evaluation fails. It
// prints the first such error.
func lenient(log io.Writer, evaluate evaluation) evaluation {
	printed := false
	return func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
		x, err := evaluate(ctx, mlp)
		if err == nil || errors.Is(err, context.Canceled) {
			return x, err
		}
		if !printed {
			fmt.Fprintf(log, "train: an evaluation failed, and training goes on: %v\n", err)
		}
		printed = true
		return nil, nil
	}
}

// longMinutes is the CPU time from which the first line of a new run says how long it takes. Chosen: most
// defaults take less.
const longMinutes = 3

// paceSeconds is the training time from which -minutes takes the speed of a run, and timeForTraining
// the fraction of its minutes that evaluations leave. Both chosen.
const (
	paceSeconds     = 3
	timeForTraining = 0.8
)

// fitMinutes sets the decisions of a run to as many as the time of -minutes allows, by the speed of a
// run that it drops.
func (s *session) fitMinutes(ctx context.Context, c *call) error {
	dir, err := os.MkdirTemp("", "marsgym-pace-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s.bar.Wait("measuring the speed")
	limited, stop := context.WithCancel(ctx)
	defer stop()
	var last train.Metrics
	_, err = train.Run(limited, c.Train, train.Options{
		Game: s.game, Dir: dir, Backend: c.Backend, Learner: newLearner(c.Settings), Start: c.startNetwork(),
		Report: func(m train.Metrics) {
			if last = m; m.Seconds >= paceSeconds {
				stop()
			}
		},
	})
	s.bar.Clear()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !errors.Is(err, train.ErrInterrupted) {
		return err
	}
	c.Train.Steps = max(1, uint64(float64(last.Steps)/max(last.Seconds, 1e-3)*60*c.minutes*timeForTraining))
	c.shortened = c.Train.Shorten(c.given)
	fmt.Fprintf(s.stdout, "%v minutes are about %d decisions here; -steps %d repeats the run\n", c.minutes, c.Train.Steps, c.Train.Steps)
	return c.check()
}

// startNetwork returns the network that the run begins with, or nil.
func (c *call) startNetwork() *models.MLP {
	if c.start == nil {
		return nil
	}
	return c.start.MLP
}

// command returns a command line of train that keeps the flags of this call for the cluster
// and the cache.
func (c *call) command(args ...string) string {
	return cli.Command("train", append(args, c.keep...)...)
}

// advise adds to an error of a run how to go on.
func (c *call) advise(err error, dir string) error {
	config := filepath.Join(dir, train.ConfigFile)
	switch {
	case errors.Is(err, cluster.ErrDiffer): // its checkpoints may be wrong
		return err
	case errors.Is(err, models.ErrDiverged):
		return fmt.Errorf("%w\n-resume %s would diverge again under the same settings; start a new run from a copy of %s with a lower \"learning_rate\":\n\n\t%s", err, cli.Argument(dir), cli.Argument(config), c.command("-config", "COPY"))
	case errors.Is(err, train.ErrSettings):
		return cli.Usagef("%w: %s", err, c.command("-config", config))
	case errors.Is(err, train.ErrArithmetic):
		return fmt.Errorf("%w: %s", err, c.command("-config", config))
	case errors.Is(err, train.ErrCheckpoint):
		return fmt.Errorf("%w\n-resume would fail again; to start a new run with the same settings:\n\n\t%s", err, c.command("-config", config))
	}
	again := "to go on from the last checkpoint"
	if _, missing := os.Lstat(filepath.Join(dir, train.CheckpointFile)); missing != nil {
		again = "there is no checkpoint yet; to begin the run again"
	}
	return fmt.Errorf("%w\n%s:\n\n\t%s", err, again, c.command("-resume", dir))
}

// present returns the path of a folder, which may have been renamed beside its former name since.
func present(dir string, was os.FileInfo) string {
	same := func(path string) bool {
		now, err := os.Stat(path)
		return err == nil && os.SameFile(now, was)
	}
	if same(dir) {
		return dir
	}
	parent := filepath.Dir(dir)
	others, _ := os.ReadDir(parent)
	for _, o := range others {
		if path := filepath.Join(parent, o.Name()); same(path) {
			return path
		}
	}
	return dir
}

// solve solves the game, if exact evaluation of its networks takes reasonable time: in games
// for two with a winner.
func (s *session) solve(ctx context.Context) error {
	if !eval.Exploitable(s.spec) {
		return nil
	}
	solution, err := s.agents.Solve(ctx)
	if err == nil {
		s.exact, err = eval.NewExactEvaluator(s.game, solution)
	}
	if errors.Is(err, game.ErrNoSolution) {
		return nil
	}
	return err
}

// note is the text of the progress bar: that of a run, and the state of the workers.
func (s *session) note(p *progress) string {
	text := p.note()
	if t, ok := s.workers.Status(); ok {
		text += ", " + t.String()
	}
	return text
}

// makeFolder makes a folder, which must not exist. Without a name it takes the
// first free one below runs with a prefix.
func makeFolder(dir, prefix string) (string, error) {
	if dir != "" {
		dir = filepath.Clean(dir) // the parent of runs/a/ is runs
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return "", err
		}
		err := os.Mkdir(dir, 0o777)
		if errors.Is(err, os.ErrExist) {
			err = taken(dir)
		}
		return dir, err
	}
	err := os.MkdirAll("runs", 0o777)
	for i := 1; err == nil || errors.Is(err, os.ErrExist); i++ {
		dir := filepath.Join("runs", fmt.Sprintf("%s-%03d", prefix, i))
		if err = os.Mkdir(dir, 0o777); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%w; name another place for the run with -out", err)
}

// taken is the error for a folder that exists.
func taken(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, train.ConfigFile)); err != nil {
		return cli.Usagef("%s exists, and nothing in it is overwritten; choose another -out", dir)
	}
	return cli.Usagef("%s exists, and nothing in it is overwritten; choose another -out, or continue the run with -resume %s", dir, cli.Argument(dir))
}

// report prints the strength of the model after a training of steps decisions, in seconds
// took.
func (s *session) report(ctx context.Context, dir string, steps uint64, took float64) error {
	w, spec := s.stdout, s.spec
	a, err := agents.Open(ctx, dir, agents.Options{Game: s.game})
	if err != nil {
		return err
	}
	model, opponent := filepath.Join(dir, agents.ModelFile), dir
	switch {
	case s.exact != nil:
		p := s.latest // at the end of the run
		if p == nil {
			now, err := s.exact.Strength(ctx, a)
			if err != nil {
				return err
			}
			p = &now
		}
		fmt.Fprintf(w, "%s against optimal play, exactly, over %d decisions:\n\n", model, p.Cost.Decisions)
		for _, f := range []struct {
			label string
			value float64
		}{{"wins moving first", p.WinFirst}, {"wins moving second", p.WinSecond}, {"wins", p.Win}, {"exploitability", p.Exploitability}} {
			fmt.Fprintf(w, "\t%-21s%s\n", f.label, figure.Digits(f.value, 6))
		}
		if opponent, err = s.reportLookahead(ctx, dir, p.Exploitability, steps, took); err != nil {
			return err
		}
		fmt.Fprintln(w)
	case spec.HasWin():
		if err := s.reportMatch(ctx, a, steps); err != nil {
			return err
		}
	}
	s.suggest(dir, opponent)
	return nil
}

// suggest prints commands that use the model of a run, and an agent to play against.
func (s *session) suggest(dir, opponent string) {
	if s.spec.Players == 1 {
		fmt.Fprintf(s.stdout, "evaluate it    %s\nwatch it       %s\n", s.command("eval", "-model", dir), s.command("play", "-watch", "-opponent", cli.Names(opponent)))
		return
	}
	bots := s.game.BotNames()
	fmt.Fprintf(s.stdout, "evaluate it    %s\n", s.command("eval", "-model", dir, "-against", bots[len(bots)-1]))
	const patience = 3600 // chosen: where solving takes an hour, evaluating takes days
	if e, ok := s.game.Estimate(); ok && env.Solvable(s.game) && s.spec.Players > 2 && e.CoreSeconds < patience {
		fmt.Fprintf(s.stdout, "or exactly     %s    # visits every position; takes minutes for three players\n", s.command("eval", "-model", dir, "-against", "exact"))
	}
	fmt.Fprintf(s.stdout, "play it        %s\n", s.command("play", "-opponent", cli.Names(opponent)))
	fmt.Fprintf(s.stdout, "train on       %s\n", s.command("train", "-resume", dir, "-steps", strconv.FormatUint(s.steps, 10)))
	if s.exact != nil {
		fmt.Fprintf(s.stdout, "its mistakes   %s\n", s.command("eval", "-model", dir, "-mistakes", "20"))
	}
}

// command returns a command line that keeps the cache of this call.
func (s *session) command(name string, args ...string) string {
	return cli.Command(name, append(args, s.cache...)...)
}
