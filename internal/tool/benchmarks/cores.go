package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/internal/parallel"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// stretch is a part of a run that is measured: it ends when stop is called.
type stretch func() (stop func())

// coreRow is work whose time on several cores is predicted and measured.
type coreRow struct {
	what string
	run  func(ctx context.Context, begin stretch) error
}

func openGame(id string, players int, config string) env.Game {
	g, err := catalog.Open(id, players, []byte(config))
	if err != nil {
		panic(err) // the games are constants
	}
	return g
}

// settings returns the default settings of a game, changed by edit, without evaluations.
func settings(g env.Game, a train.Algorithm, edit func(c *train.Config)) (train.Config, error) {
	c, err := train.DefaultForAlgorithm(g, a)
	c.Evaluations, c.Checkpoints = 0, 1
	if edit != nil {
		edit(&c)
	}
	return c, err
}

// trainingRun trains without its first iteration, in which memory grows.
func trainingRun(g env.Game, a train.Algorithm, edit func(c *train.Config)) func(context.Context, stretch) error {
	return func(ctx context.Context, begin stretch) error {
		c, err := settings(g, a, edit)
		if err != nil {
			return err
		}
		var stop func()
		_, err = trained(ctx, g, c, func(m train.Metrics) {
			if m.Iteration == 1 {
				stop = begin()
			} else if m.Done == 1 {
				stop()
			}
		})
		return err
	}
}

func trained(ctx context.Context, g env.Game, c train.Config, report func(train.Metrics)) (*models.MLP, error) {
	dir, err := os.MkdirTemp("", "marsgym")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return train.Run(ctx, c, train.Options{Game: g, Dir: dir, Backend: train.DefaultBackend, Learner: gorgonia.New, Report: report})
}

// evaluationRun evaluates a network exactly, in all seats or, for two, as a run does.
func evaluationRun(g env.Game) func(context.Context, stretch) error {
	return func(ctx context.Context, begin stretch) error {
		solution, err := g.Solve(ctx, nil)
		if err != nil {
			return err
		}
		c, err := settings(g, train.TurnExact, func(c *train.Config) { c.Steps = 10_000 })
		if err != nil {
			return err
		}
		mlp, err := trained(ctx, g, c, nil)
		if err != nil {
			return err
		}
		e, err := eval.NewExactEvaluator(g, solution)
		if err != nil {
			return err
		}
		a := &agents.Agent{Name: "network", Policy: agents.NewNet(g.Spec(), mlp, false)}
		defer begin()()
		if eval.Exploitable(g.Spec()) {
			_, err = e.Strength(ctx, a)
		} else {
			_, err = e.WinShares(ctx, slices.Repeat([]*agents.Agent{a}, g.Spec().Players))
		}
		return err
	}
}

func solutionRun(g env.Game) func(context.Context, stretch) error {
	return func(ctx context.Context, begin stretch) error {
		defer begin()()
		_, err := g.Solve(ctx, nil)
		return err
	}
}

// What the default run of Martian Dice consists of.
const (
	turnExact   = "`turn-exact`, Martian Dice for 2"
	evaluation2 = "exact evaluation in a run, Martian Dice for 2"

	turnExactSteps = 250_000 // in the row
)

// defaultRun adds up the time of the default run of Martian Dice, of its parts.
func defaultRun(part map[string]func(cores int) time.Duration) (func(cores int) time.Duration, error) {
	c, err := train.DefaultFor(openGame("martian-dice", 2, "{}"))
	if err != nil {
		return nil, err
	}
	return func(cores int) time.Duration {
		return time.Duration(float64(c.Steps)/turnExactSteps*float64(part[turnExact](cores))) +
			time.Duration(c.Evaluations)*part[evaluation2](cores)
	}, nil
}

// coreRows take some CPU-seconds each, and the last two minutes.
func coreRows() []coreRow {
	dice := openGame("martian-dice", 2, "{}")
	return []coreRow{
		{turnExact, trainingRun(dice, train.TurnExact, func(c *train.Config) { c.Steps = turnExactSteps })},
		{"`turn-exact`, policy lag 1, Martian Dice for 2", trainingRun(dice, train.TurnExact, func(c *train.Config) {
			c.Steps, c.Expert.PolicyLag = turnExactSteps, 1
		})},
		{evaluation2, evaluationRun(dice)},
		{"`ppo`, Martian Dice for 2", trainingRun(dice, train.AlgorithmPPO, func(c *train.Config) { c.Steps = 300_000 })},
		{"`one-move`, Martian Dice for 2", trainingRun(dice, train.OneMove, func(c *train.Config) { c.Steps = 20_000 })},
		{"`search`, Mars is Ours! for 2", trainingRun(openGame("mars-is-ours", 2, "{}"), train.Search, func(c *train.Config) { c.Steps = 10_000 })},
		{"`ppo`, Mars is Ours! for 3", trainingRun(openGame("mars-is-ours", 3, "{}"), train.AlgorithmPPO, func(c *train.Config) {
			c.Steps = 3 * 131_072
		})},
		{"`ppo`, Martian Risk for 3", trainingRun(openGame("martian-risk", 3, "{}"), train.AlgorithmPPO, func(c *train.Config) {
			c.Steps, c.PPO.Horizon = 5*16_384, 128 // all stages of a run, each of few minibatches
		})},
		{"exact evaluation for 3, Martian Dice to 6", evaluationRun(openGame("martian-dice", 3, `{"target": 6}`))},
		{"solving for 4, Martian Dice", solutionRun(openGame("martian-dice", 4, "{}"))},
	}
}

// recorded is what a row does on one core.
type recorded struct {
	work   parallel.Work
	beside time.Duration // CPU time of other goroutines, such as the garbage collector
}

// record runs a row on one core, with its work divided for several.
func (r coreRow) record(ctx context.Context, cores int) (x recorded, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = r.run(ctx, func() func() {
		all := processTime()
		own := threadTime()
		rec := parallel.Record(cores, threadTime)
		return func() {
			x.work = rec.Stop()
			x.beside = max(0, processTime()-all-(threadTime()-own))
		}
	})
	return x, err
}

// wall predicts the time on a number of cores.
func (x recorded) wall(cores int, costs parallel.Costs) time.Duration {
	return x.work.Wall(cores, costs) + x.beside/time.Duration(cores)
}

// sum is the time on one core.
func (x recorded) sum() time.Duration { return x.wall(1, parallel.Costs{}) }

// timings are the fastest of several recordings and measurements of a row: of those that others
// disturbed least.
type timings struct {
	whole, divided recorded
	measured       map[int]time.Duration // by the number of cores, of this machine
}

// time records and measures a row three times in turns, or fewer when a minute has passed.
func (r coreRow) time(ctx context.Context) (t timings, err error) {
	t.measured = map[int]time.Duration{}
	start := time.Now()
	for turn := 0; turn < 3 && time.Since(start) < time.Minute; turn++ {
		for cores, best := range map[int]*recorded{1: &t.whole, dividedFor: &t.divided} {
			x, err := r.record(ctx, cores)
			if err != nil {
				return t, err
			}
			if turn == 0 || x.sum() < best.sum() {
				*best = x
			}
		}
		for _, c := range manyCores {
			if c > runtime.NumCPU() {
				break
			}
			took, err := r.measure(ctx, c)
			if err != nil {
				return t, err
			}
			if turn == 0 || took < t.measured[c] {
				t.measured[c] = took
			}
		}
	}
	return t, nil
}

// measure returns the time of a row on a number of cores.
func (r coreRow) measure(ctx context.Context, cores int) (took time.Duration, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	err = r.run(ctx, func() func() {
		start := time.Now()
		return func() { took = time.Since(start) }
	})
	return took, err
}

// usualWake is the time to wake a core of a machine with nothing else to do. Chosen.
const usualWake = 5 * time.Microsecond

// schedulerCosts returns the costs of a prediction, and the time that waking a core takes on this
// machine: the median extra time of a section of two short ranges. The prediction has the usual
// time instead where that is longer, since the machine then has other work.
func schedulerCosts() (c parallel.Costs, wake time.Duration) {
	const n, length = 2001, 20 * time.Microsecond
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(2, runtime.NumCPU())))
	spin := func(int, int) {
		for start := time.Now(); time.Since(start) < length; {
		}
	}
	var extra []time.Duration
	for range n {
		start := time.Now()
		parallel.For(2, 1, spin)
		extra = append(extra, time.Since(start)-length)
	}
	slices.Sort(extra)
	wake = extra[n/2].Round(100 * time.Nanosecond)
	return parallel.Costs{Start: 300 * time.Nanosecond, Wake: min(wake, usualWake)}, wake
}

// sectionSum is what the sections of a name take, with those within them.
type sectionSum struct {
	name               string
	calls, ranges      int
	all, largest, mean time.Duration // of the ranges; of the largest and the mean one, over all calls
}

// sections sums the sections of recorded work by name, the longest first.
func sections(w parallel.Work) []*sectionSum {
	byName := map[string]*sectionSum{}
	addSections(byName, w)
	return slices.SortedFunc(maps.Values(byName), func(a, b *sectionSum) int { return cmp.Compare(b.all, a.all) })
}

func addSections(byName map[string]*sectionSum, w parallel.Work) {
	for _, step := range w {
		if step.Then == nil {
			continue
		}
		s := byName[step.Then.Name]
		if s == nil {
			s = &sectionSum{name: step.Then.Name}
			byName[s.name] = s
		}
		s.calls++
		s.ranges += len(step.Then.Ranges)
		var all, largest time.Duration
		for _, r := range step.Then.Ranges {
			took := r.Took()
			all, largest = all+took, max(largest, took)
			addSections(byName, r)
		}
		s.all += all
		s.largest += largest
		s.mean += all / time.Duration(max(1, len(step.Then.Ranges)))
	}
}

// serial returns the time of recorded work outside of sections.
func serial(w parallel.Work) (sum time.Duration) {
	for _, step := range w {
		sum += step.Took
	}
	return sum
}

// dividedFor is the number of cores for which recorded work is divided. Chosen: that of the
// machines which the predictions are for.
const dividedFor = 16

// manyCores are the numbers of cores of a prediction.
var manyCores = []int{1, 2, 4, 8, 16, 32, 64}

// cores predicts and measures the time of training, evaluation and solving on several cores, and
// returns a table of what the sections take.
func cores(ctx context.Context, names *regexp.Regexp, w io.Writer, log func(format string, args ...any)) (table string, err error) {
	costs, wake := schedulerCosts()
	fmt.Fprintf(w, "\nThe speed-ups are predicted from the times of the parallel sections of a run on one core, if waking a core takes %s; here that takes %s. What is divided by the number of cores is divided for %d here, also for more. Those in parentheses were measured on this machine. Each time is the least of three, or of fewer where those take a minute.\n\n", costs.Wake, wake, dividedFor)
	fmt.Fprint(w, "| what | serial | one core |")
	for _, c := range manyCores[1:] {
		fmt.Fprintf(w, " %d cores |", c)
	}
	fmt.Fprintf(w, "\n|%s\n", strings.Repeat(" --- |", 2+len(manyCores)))
	var list strings.Builder
	fmt.Fprintf(&list, "\n| what | section | share of one core's time | calls | ranges | time of a range | the largest, × the mean |\n|%s\n", strings.Repeat(" --- |", 7))
	predicted := map[string]func(cores int) time.Duration{}
	for _, row := range coreRows() {
		if !names.MatchString(row.what) {
			continue
		}
		t, err := row.time(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", row.what, err)
		}
		x, divided := t.divided, t.divided.sum()
		one := min(t.whole.sum(), divided) // one core can do the divided work too
		predicted[row.what] = func(cores int) time.Duration {
			if cores == 1 {
				return one
			}
			return x.wall(cores, costs)
		}
		share := func(d time.Duration) string { return fmt.Sprintf("%.3g %%", 100*d.Seconds()/divided.Seconds()) }
		fmt.Fprintf(w, "| %s | %s | %.3g (%.3g) s |", row.what, share(serial(x.work)), one.Seconds(), t.measured[1].Seconds())
		for _, c := range manyCores[1:] {
			measured := ""
			if took := t.measured[c]; took > 0 {
				measured = fmt.Sprintf(" (%.3g)", t.measured[1].Seconds()/took.Seconds())
			}
			fmt.Fprintf(w, " %.3g%s |", one.Seconds()/predicted[row.what](c).Seconds(), measured)
		}
		fmt.Fprintln(w)
		log("%s: recorded", row.what)
		for _, s := range sections(x.work) {
			if s.all > divided/50 {
				fmt.Fprintf(&list, "| %s | `%s` | %s | %d | %.3g | %s | %.2f |\n", row.what, s.name, share(s.all), s.calls,
					float64(s.ranges)/float64(s.calls), (s.all / time.Duration(s.ranges)).Round(time.Microsecond), s.largest.Seconds()/s.mean.Seconds())
			}
		}
		if x.beside > divided/50 {
			fmt.Fprintf(&list, "| %s | garbage collection and the like | %s | | | | |\n", row.what, share(x.beside))
		}
	}
	if len(predicted) == 0 {
		return "", fmt.Errorf("no row matches %q; -cores . lists all", names)
	}
	if predicted[turnExact] != nil && predicted[evaluation2] != nil {
		took, err := defaultRun(predicted)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(w, "| the default run of Martian Dice for 2, of its parts | | %s s |", number(took(1).Seconds()))
		for _, c := range manyCores[1:] {
			fmt.Fprintf(w, " %.3g |", took(1).Seconds()/took(c).Seconds())
		}
		fmt.Fprintln(w)
	}
	return list.String(), nil
}

// hashes prints the SHA-256 of models that were trained with several values of GOMAXPROCS.
func hashes(ctx context.Context, names *regexp.Regexp, w io.Writer) error {
	procs := []int{1, 2, 3, 16}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	fmt.Fprint(w, "\n| a short run of | GOMAXPROCS | SHA-256 of the weights |\n| --- | --- | --- |\n")
	for _, run := range []struct {
		game  env.Game
		a     train.Algorithm
		steps uint64
	}{
		{openGame("martian-dice", 2, "{}"), train.TurnExact, 30_000},
		{openGame("martian-dice", 2, "{}"), train.OneMove, 2_000},
		{openGame("martian-dice", 2, "{}"), train.AlgorithmPPO, 70_000},
		{openGame("martian-risk", 3, "{}"), train.AlgorithmPPO, 3 * 16_384},
		{openGame("mars-is-ours-fast", 2, "{}"), train.Search, 2_000},
	} {
		what := fmt.Sprintf("`%s`, %s for %d", run.a, run.game.Spec().Title, run.game.Spec().Players)
		if !names.MatchString(what) {
			continue
		}
		c, err := settings(run.game, run.a, func(c *train.Config) { c.Steps = run.steps })
		if err != nil {
			return err
		}
		c.PPO.Horizon = min(c.PPO.Horizon, 64)
		by := map[string][]string{} // values of GOMAXPROCS by the sum
		for _, n := range procs {
			runtime.GOMAXPROCS(n)
			mlp, err := trained(ctx, run.game, c, nil)
			if err != nil {
				return err
			}
			sum := fmt.Sprintf("%x", sha256.Sum256(mlp.WeightBytes()))
			by[sum] = append(by[sum], fmt.Sprint(n))
		}
		for _, sum := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(w, "| %s | %s | %s |\n", what, strings.Join(by[sum], ", "), sum)
		}
	}
	return nil
}
