package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/cluster/flags"
	"marsgym/internal/input"
	"marsgym/models"
	"marsgym/train"
	"marsgym/train/sweep"
)

// call is a parsed command line.
type call struct {
	train.Settings
	game   env.Game
	dir    string // the run folder; "" takes a free one
	resume bool
	more   uint64       // decisions by which a finished run is prolonged, or 0
	start  *models.File // the network that a new run begins with, or nil

	evaluate string  // of -evaluate
	minutes  float64 // of -minutes, or 0
	json     bool

	given     func(field string) bool // whether a file or -set has a field of the settings
	shortened []string                // the settings that did not fit a short run (see [train.Config.Shorten])

	cache string // the folder of solutions; "" is none

	cluster flags.Flags
	keep    []string // the arguments of the cluster and of -cache, which commands that go on keep

	cacheFlag []string // the arguments of -cache

	sweep   string      // the file of a sweep, "" for a single run
	plan    *sweep.Plan // of the sweep
	exploit *exploitCall
}

// Values of -evaluate. Without one look-ahead has a budget of time.
const (
	evaluateNone = "none"
	evaluateHead = "head"
	evaluateFull = "full"
)

var evaluations = []string{"", evaluateNone, evaluateHead, evaluateFull}

// maxMinutes of -minutes is a year.
const maxMinutes = 366 * 24 * 60

func parse(args []string, stdout io.Writer) (c call, err error) {
	f := cli.NewFlags("train", "Train fits a network to a game by self-play and reports its strength, exactly where the game is solved. Ctrl-C stops it, and nothing is lost.")
	steps := f.Whole("steps", 1, train.MaxSteps, "`decisions` to train on (default depends on the algorithm)")
	minutes := f.Float64("minutes", 0, "`time` to train in minutes, in place of -steps: the speed of a few seconds gives the decisions, which depend on the machine")
	seed := f.Uint64("seed", 1, "`seed` of all random numbers")
	algorithm := f.String("algorithm", "", "training `algorithm`: "+strings.Join(train.AlgorithmNames(), ", ")+" (default turn-exact in games that plan turns, one-move in short ones, else ppo)")
	file := f.String("config", "", "JSON `file` of settings, such as a run's "+train.ConfigFile+"; flags override it")
	var sets []string
	f.Repeated(&sets, "set", "`field=value` of the settings, such as train.learning_rate.0=0.002; may be given several times, and overrides -config")
	evaluate := f.String("evaluate", "", "`what` to evaluate: none, head (the policy head) or full (with look-ahead too, whatever it costs) (default head, and look-ahead while it takes at most a tenth of the training time or 5 CPU-seconds)")
	backend := f.String("backend", train.DefaultBackend, "`name` of the backend that fits the network: "+strings.Join(backendNames(), ", "))
	device := f.String("device", train.DefaultDevice, "`device` that the backend gotch computes on: cpu, cuda:0, ...")
	f.Group("How to train", "steps", "minutes", "seed", "algorithm", "config", "set", "evaluate", "backend", "device")
	out := f.String("out", "", "new `folder` for the run (default runs/GAME-PLAYERS-NUMBER)")
	from := f.String("from", "", "run `folder` or model file whose network a new run begins with, in the same game, with the same head and layers")
	resume := f.String("resume", "", "run `folder` to resume, with its own settings; with -steps, a run that has ended trains on these further decisions")
	seeds := f.Whole("seeds", 2, maxSeeds, "`number` of runs that differ in their seeds only, from -seed on, with their mean strength and its interval")
	path := f.String("sweep", "", "JSON `file` of settings to compare: train with each, and rank them by exact strength after equal time, or by a league of matches")
	label := f.String("name", "", "`name` of the run for trackers (default the name of its folder)")
	group := f.String("group", "", "`name` of a group of runs for trackers (default the folder of several runs)")
	tags := f.String("tags", "", "`list` of tags of the run for trackers, such as a,b")
	f.Group("Runs", "out", "from", "resume", "seeds", "sweep", "name", "group", "tags")
	var x exploitCall
	f.StringVar(&x.agent, "exploit", "", "train a response to this `agent` by ppo, and bound the agent's exploitability from below by what the response wins in a match; with -out, the same command resumes")
	f.IntVar(&x.games, "games", 10_000, "`number` of games in the match of -exploit")
	f.Policy(&x.sample)
	f.Group("Exploitability of any agent", "exploit", "games", "policy")
	f.BoolVar(&c.json, "json", false, "write one JSON document to standard output at the end, with the evaluations, and texts to standard error")
	f.Group("Output", "json")
	c.cluster.Add(f, "`address` of a broker whose workers compute the self-play of expert iteration, or a sweep")
	name := f.Game()
	f.Example("go run ./cmd/train")
	f.Example("go run ./cmd/train -algorithm ppo -seed 2")
	f.Example("go run ./cmd/train -game pig -steps 2000000 -out runs/pig")
	f.Example("go run ./cmd/train -set train.rows=64 -set train.learning_rate.0=0.002")
	f.Example("go run ./cmd/train -algorithm ppo -seeds 5")
	f.Example("go run ./cmd/train -name baseline -group pig -tags ppo,short -game pig")
	f.Example("go run ./cmd/train -resume runs/pig")
	f.Example("go run ./cmd/train -resume runs/pig -steps 1000000")
	f.Example("go run ./cmd/train -from runs/pig -seed 2 -steps 1000000")
	f.Example("go run ./cmd/train -cluster 127.0.0.1:4222")
	f.Example("go run ./cmd/train -game martian-risk-small -exploit greedy -steps 2000000")
	f.Example("go run -tags gotch ./cmd/train -backend gotch")
	f.Example(`echo '{"grid": {"train.learning_rate": [[0.01, 1e-5], [0.005, 1e-5]], "train.rows": [64, 128]}, "seeds": [1, 2]}' > rates.json`)
	f.Example("go run ./cmd/train -sweep rates.json -out runs/rates")
	if err := f.Parse(args, stdout); err != nil {
		return c, err
	}
	c.cache = name.CacheDir()
	c.cacheFlag = f.Arguments("cache")
	c.keep = append(f.Arguments(flags.Names...), c.cacheFlag...)
	if err := c.cluster.Check(f); err != nil {
		return c, err
	}
	if *resume != "" {
		own, table := []string{"resume", "steps", "json", "cache"}, catalog.IsFile(name.ID)
		if table { // which the run folder may have lost
			own = append(own, "game")
		}
		if f.Others(append(own, flags.Names...)...) != nil {
			return c, cli.Usagef("-resume uses the settings of the run; leave out the other flags but -steps")
		}
		if table {
			if c.game, err = name.Open(); err != nil { // it stays open while the settings find it by its SHA-256
				return c, err
			}
		}
		c.dir, c.resume, c.more = *resume, true, *steps
		if err := cli.CheckFolder("resume", c.dir); err != nil {
			return c, err
		}
		if _, err := os.Lstat(filepath.Join(c.dir, sweep.File)); err == nil {
			return c, c.loadSweep(filepath.Join(c.dir, sweep.File))
		}
		return c, c.load()
	}
	if err := cli.CheckFolder("out", *out); err != nil {
		return c, err
	}
	if x.agent != "" {
		if more := f.Others("exploit", "steps", "seed", "out", "games", "policy", "json", "game", "players", "game-config", "cache"); more != nil {
			return c, cli.Usagef("-exploit trains by ppo in this process, with the settings of the game; leave out -%s", more[0])
		}
		if !f.Given("steps") {
			return c, cli.Usagef("-exploit needs -steps, the decisions to train the response on")
		}
		if x.games < 1 || x.games > eval.MaxGames {
			return c, cli.Usagef("-games is %d; want 1 to %d", x.games, eval.MaxGames)
		}
		if err := name.DefaultOf([]string{x.agent}); err != nil {
			return c, err
		}
		*algorithm, x.again = string(train.AlgorithmPPO), cli.Command("train", f.Arguments()...)
		c.exploit = &x
	}
	if *from != "" {
		if c.exploit != nil {
			return c, cli.Usagef("-exploit begins with the network of its agent; leave out -from")
		}
		if c.start, err = agents.LoadModel(*from); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = cli.Usagef("%w; give -from a run folder that has a model, or the file of one", err)
			}
			return c, err
		}
		if err := name.DefaultOf([]string{*from}); err != nil {
			return c, err
		}
		*algorithm = cmp.Or(*algorithm, c.start.Meta.Algorithm)
	}
	for _, of := range []string{"games", "policy"} {
		if f.Given(of) && c.exploit == nil {
			return c, cli.Usagef("-%s is for -exploit, which is missing", of)
		}
	}
	if *path != "" {
		if f.Others(append([]string{"sweep", "out", "cache"}, flags.Names...)...) != nil {
			return c, cli.Usagef("-sweep takes all settings from its file; leave out the other flags but -out, -cache and those of a cluster")
		}
		c.dir = *out
		return c, c.loadSweep(*path)
	}
	var text []byte
	if *file != "" {
		if text, err = input.ReadSettings(*file); err != nil {
			return c, &cli.UsageError{Err: err}
		}
	}
	values, err := parseSets(sets)
	if err != nil {
		return c, err
	}
	if name := string(values["train.algorithm"]); *algorithm == "" && name != "" {
		if err := json.Unmarshal([]byte(name), algorithm); err != nil {
			return c, cli.Usagef("-set: train.algorithm is %s; want the name of an algorithm", input.Quote(name))
		}
	}
	if err := c.complete(text, train.Algorithm(*algorithm), name); err != nil {
		if *file != "" && !f.Given("game-config") {
			err = fmt.Errorf("%s: %w", *file, input.Placed(err))
		}
		return c, usage(err)
	}
	if f.Given("steps") {
		c.Train.Steps = *steps
	}
	if f.Given("seed") {
		c.Train.Seed = *seed
	}
	if f.Given("minutes") && f.Given("steps") {
		return c, cli.Usagef("-minutes stands in place of -steps; leave one of them out")
	}
	if c.minutes = *minutes; f.Given("minutes") && !(c.minutes > 0 && c.minutes <= maxMinutes) {
		return c, cli.Usagef("-minutes is %v; want a number above 0 and at most %d", c.minutes, maxMinutes)
	}
	if f.Given("backend") {
		c.Backend = *backend
	}
	if f.Given("name") {
		c.Name = *label
	}
	if f.Given("group") {
		c.Group = *group
	}
	if f.Given("tags") {
		c.Tags = strings.Split(*tags, ",")
	}
	if f.Given("device") {
		c.Device = *device
	}
	if c.exploit != nil {
		c.Train.Evaluations, c.Train.Opponents.Fraction = 0, 0
	}
	if c.evaluate = *evaluate; !slices.Contains(evaluations, c.evaluate) {
		return c, cli.Usagef("-evaluate: %w", input.Unknown("evaluation", c.evaluate, evaluations[1:]))
	}
	if c.evaluate == evaluateNone {
		c.Train.Evaluations = 0
	}
	if c.start != nil {
		c.startFrom(text)
	}
	if c.Settings, err = c.With(values); err != nil {
		return c, cli.Usagef("-set: %w", err)
	}
	c.given = func(field string) bool {
		for set := range values { // which may be an object that holds the field
			if strings.HasPrefix(field+".", set+".") {
				return true
			}
		}
		return given(text, field)
	}
	c.shortened = c.Train.Shorten(c.given)
	c.dir = *out
	if err = c.check(); err == nil && c.minutes > 0 {
		if c.exploit != nil || *seeds > 0 {
			return c, cli.Usagef("-minutes is for one run; give -seeds and -exploit their -steps")
		}
	}
	if err == nil && *seeds > 0 {
		if c.evaluate == evaluateNone {
			return c, cli.Usagef("-seeds compares strengths; leave out -evaluate none")
		}
		if c.start != nil || c.exploit != nil {
			return c, cli.Usagef("-seeds trains networks from random weights; leave out -from and -exploit")
		}
		c.plan, err = seedsPlan(c.Settings, *seeds)
	}
	return c, err
}

// loadSweep reads a sweep.
func (c *call) loadSweep(path string) error {
	c.sweep, c.resume = path, false // a sweep resumes by itself
	text, err := input.ReadSettings(path)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	if c.plan, err = sweep.Parse(text); err == nil && (c.more > 0 || c.json && !ofSeeds(c.plan)) {
		return cli.Usagef("a sweep trains as its file says and ends with a table; leave out -steps, and -json unless only the seeds differ")
	}
	if err == nil {
		c.Settings, c.game = c.plan.Variants[0].Runs[0], c.plan.Game
		if _, err = backendOf(c.Settings); err == nil {
			err = c.CheckLabels()
		}
	}
	if err != nil {
		err = &cli.UsageError{Err: fmt.Errorf("%s: %w", path, input.Placed(err))}
	}
	return err
}

// parseSets reads the values of -set. What is not JSON is a string.
func parseSets(sets []string) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for _, text := range sets {
		field, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || field == "" || value == "":
			return nil, cli.Usagef("-set %s: want FIELD=VALUE, such as train.rows=64", input.Quote(text))
		case values[field] != nil:
			return nil, cli.Usagef("-set: %s is given twice", input.Quote(field))
		case !json.Valid([]byte(value)):
			quoted, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			value = string(quoted)
		}
		values[field] = json.RawMessage(value)
	}
	return values, nil
}

// startFrom changes what the text of settings leaves open to what suits a trained network: its shape,
// and no warm-up, which would train its values on random play.
func (c *call) startFrom(text []byte) {
	shape := c.start.MLP.Shape()
	if !given(text, "train.head") {
		c.Train.Head = shape.Head
	}
	if !given(text, "train.hidden") {
		c.Train.Hidden = shape.Hidden
	}
	if !given(text, "train.expert.value_warmup") {
		c.Train.Expert.ValueWarmup = 0
	}
}

// given reports whether a text of settings, which may be nil, has a field.
func given(text []byte, field string) bool {
	for name := range strings.SplitSeq(field, ".") {
		if text == nil {
			return false
		}
		text = input.Part(text, name)
	}
	return text != nil
}

// load reads the settings of the run folder and opens its game.
func (c *call) load() (err error) {
	path := filepath.Join(c.dir, train.ConfigFile)
	c.Settings, err = train.LoadSettings(c.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.Usagef("%s is no run folder: it has no %s", c.dir, train.ConfigFile)
	case errors.Is(err, train.ErrShards):
		return cli.Usagef("%w; finish the run with the release that began it, or start a new run with a copy of the settings:\n\n\t%s", err, cli.Command("train", "-config", "COPY"))
	case err != nil:
		return usage(err)
	}
	if c.game, err = c.Open(); err != nil {
		err = &cli.UsageError{Err: err}
	} else {
		err = c.check()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, input.Placed(err))
	}
	return err
}

// check reports settings under which the game cannot be trained, as a
// [cli.UsageError].
func (c *call) check() error {
	if _, err := backendOf(c.Settings); err != nil {
		return err
	}
	if err := c.CheckLabels(); err != nil {
		return usage(err)
	}
	if err := c.cluster.CheckGame(c.game.Spec().ID); err != nil {
		return err
	}
	if c.cluster.Addr != "" && c.Train.Algorithm == train.AlgorithmPPO {
		return cli.Usagef("-cluster: ppo plays in this process only (docs/cluster.md has the reasons); leave out -cluster, or choose another -algorithm")
	}
	err := c.Train.Check(c.game)
	if err == nil && c.start != nil {
		if err = c.Train.CheckStart(c.game, c.start); err != nil {
			err = fmt.Errorf("-from: %w", err)
		}
	}
	return usage(err)
}

// complete reads settings, opens the game, which is that of the settings where the flags do not
// name it, and completes the settings for it.
func (c *call) complete(text []byte, a train.Algorithm, name *cli.Game) error {
	draft, err := train.ReadDraft(text)
	if err != nil {
		return err
	}
	name.Default(draft.Game, draft.GameConfig)
	if c.game, err = name.Open(); err != nil {
		return err
	}
	c.Settings, err = draft.Complete(c.game, a)
	return err
}

// usage makes errors of settings a [cli.UsageError].
func usage(err error) error {
	var (
		unknown *input.UnknownError
		json    *input.JSONError
	)
	if errors.Is(err, train.ErrConfig) || errors.Is(err, train.ErrShards) || errors.As(err, &unknown) || errors.As(err, &json) {
		return &cli.UsageError{Err: err}
	}
	return err
}
