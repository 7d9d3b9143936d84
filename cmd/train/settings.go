package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/models"
	"marsgym/train"
)

// settings are all that decides how a run ends; config.json in its folder.
type settings struct {
	Game       string          `json:"game"`
	GameConfig json.RawMessage `json:"game_config"`
	Backend    string          `json:"backend"`
	Device     string          `json:"device"`
	Train      train.Config    `json:"train"`
}

func defaults(a train.Algorithm) settings {
	return settings{Game: catalog.List()[0].ID, GameConfig: []byte("{}"), Backend: backends[0].name, Device: cpu, Train: train.DefaultConfig(a)}
}

// What tells games apart under PPO. Chosen: the games that there are lie well to
// either side.
const (
	// fewActions is up to where the defaults are those of Martian Dice.
	fewActions = 20
	// fewOptions is up to how many legal actions at a decision scoring what each
	// leads to pays. With the five to seven of Martian Risk it learns as fast and
	// with every seed; with the ten and twenty of Mars is Ours! it is as strong
	// after as many decisions, which take six times as long.
	fewOptions = 8
	// longGame is from how many decisions on credit has to reach far. What pays
	// is the end, and values that learn from the next few decisions alone are
	// wrong for most of a run.
	longGame = 100
	// manyNumbers bounds what a rollout of a long game keeps of observations: a
	// gigabyte.
	manyNumbers = 1 << 28
)

// onBoard turns the defaults of PPO into those for a game of many actions.
func onBoard(c *train.Config, g env.Game) error {
	options, length, err := train.Measure(g)
	if err != nil {
		return err
	}
	if options > fewOptions {
		c.Head = models.Logits
	}
	if length > longGame {
		c.Rows, c.PPO.Horizon, c.PPO.Minibatch = 128, 512, 4096
		c.PPO.Lambda, c.PPO.Entropy = 0.995, train.Range{0.02, 0.0005}
		kept := options * float64(c.PPO.Horizon*g.Spec().ObsLen())
		for c.Head == models.Score && c.Rows > 2*c.Parts && kept*float64(c.Rows) > manyNumbers {
			c.Rows /= 2
		}
	}
	return nil
}

// suited is the algorithm that a game is trained with unless another is asked
// for: the deepest search that it offers.
func suited(g env.Game) train.Algorithm {
	search := train.DefaultConfig(train.TurnExact).Expert.Search
	if _, err := g.NewExpert(search, 1, 0); err == nil {
		return train.TurnExact
	}
	return train.AlgorithmPPO
}

// call is what a command line asks for.
type call struct {
	settings
	game   env.Game
	dir    string // the run folder; "" takes a free one
	resume bool
	cache  string // the folder of solutions; "" is none

	sweep string // the file of a sweep, "" for a single run
	plan  *plan  // of the sweep
}

// parse reads the command line; the game's config comes in full.
func parse(args []string, stdout io.Writer) (c call, err error) {
	f := cli.NewFlags("train", "Train fits a network to a game by self-play, and ends with how strong it is: exactly, where the game is solved. Ctrl-C stops it; nothing is lost.")
	steps := f.Uint64("steps", 0, "`decisions` to train on (default as the algorithm has it)")
	seed := f.Uint64("seed", 1, "`seed` of all that is drawn at random")
	algorithm := f.String("algorithm", "", "`way` to learn: "+strings.Join(names(train.Algorithms()), ", ")+" (default turn-exact where the game offers it, else ppo)")
	file := f.String("config", "", "JSON `file` with settings, such as a run's "+train.ConfigFile+"; flags override it")
	backend := f.String("backend", backends[0].name, "`name` of what fits the network: "+strings.Join(backendNames(), ", "))
	device := f.String("device", cpu, "`device` that the backend gotch computes on: cpu, cuda:0, ...")
	f.Group("How to train", "steps", "seed", "algorithm", "config", "backend", "device")
	out := f.String("out", "", "`folder` to make for the run (default runs/GAME-PLAYERS-NUMBER)")
	from := f.String("resume", "", "run `folder` to go on with, under its own settings")
	path := f.String("sweep", "", "JSON `file` with settings to compare: trains with each, in turn, and orders them by exact strength at equal time")
	f.Group("Runs", "out", "resume", "sweep")
	name := f.Game(catalog.IDs())
	f.Example("go run ./cmd/train")
	f.Example("go run ./cmd/train -algorithm ppo -seed 2")
	f.Example("go run ./cmd/train -game pig -steps 2000000 -out runs/pig")
	f.Example("go run ./cmd/train -resume runs/pig")
	f.Example("go run -tags gotch ./cmd/train -backend gotch")
	f.Example(`echo '{"grid": {"train.rate": [[0.01, 1e-5], [0.005, 1e-5]], "train.rows": [64, 128]}, "seeds": [1, 2]}' > rates.json`)
	f.Example("go run ./cmd/train -sweep rates.json -out runs/rates")
	if err := f.Parse(args, stdout); err != nil {
		return c, err
	}
	c.cache = name.CacheDir()
	if *from != "" {
		if f.Others("resume", "cache") != nil {
			return c, cli.Usagef("-resume goes on under the settings of the run; leave out the other flags")
		}
		c.dir, c.resume = *from, true
		c.settings, err = load(*from)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is no run folder: it has no %s", *from, train.ConfigFile)
		}
		if err != nil {
			return c, err
		}
		if c.game, err = catalog.Open(c.Game, 0, c.GameConfig); err == nil {
			err = c.check(c.game)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", filepath.Join(*from, train.ConfigFile), err)
		}
		return c, err
	}
	if *path != "" {
		if f.Others("sweep", "out", "cache") != nil {
			return c, cli.Usagef("-sweep takes all settings from its file; leave out the other flags but -out and -cache")
		}
		c.dir, c.sweep = *out, *path
		c.plan, err = readPlan(*path, func(text []byte, a train.Algorithm) (settings, env.Game, error) { return complete(text, name, a) })
		if err == nil {
			c.settings, c.game = c.plan.variants[0].runs[0], c.plan.game
		}
		return c, err
	}
	var text []byte
	if *file != "" {
		if text, err = input.ReadFile(*file, input.Settings); err != nil {
			return c, err
		}
	}
	if c.settings, c.game, err = complete(text, name, train.Algorithm(*algorithm)); err != nil {
		if *file != "" {
			err = fmt.Errorf("%s: %w", *file, err)
		}
		return c, err
	}
	if f.Given("steps") {
		c.Train.Steps = *steps
	}
	if f.Given("seed") {
		c.Train.Seed = *seed
	}
	if f.Given("backend") {
		c.Backend = *backend
	}
	if f.Given("device") {
		c.Device = *device
	}
	c.dir = *out
	return c, c.check(c.game)
}

// complete fills in what a text of settings, which may be nil, leaves open, and
// opens the game. An algorithm that is not "" takes the place of the text's.
func complete(text []byte, name *cli.Game, a train.Algorithm) (set settings, g env.Game, err error) {
	var base settings // what the text says, over nothing
	if text != nil {
		if err := json.Unmarshal(text, &base); err != nil {
			return set, nil, input.Short(err)
		}
	}
	name.Default(cmp.Or(base.Game, name.ID), base.GameConfig)
	if g, err = cli.OpenGame(name, catalog.Open); err != nil {
		return set, nil, err
	}
	if a = cmp.Or(a, base.Train.Algorithm); a == "" {
		a = suited(g)
	}
	if !slices.Contains(train.Algorithms(), a) {
		return set, nil, cli.Unknown("algorithm", string(a), names(train.Algorithms()))
	}
	set = defaults(a)
	if a == train.AlgorithmPPO && g.Spec().Actions > fewActions {
		if err := onBoard(&set.Train, g); err != nil {
			return set, nil, err
		}
	}
	if text != nil {
		if err := input.DecodeJSON(text, &set); err != nil {
			return set, nil, err
		}
	}
	set.Game, set.GameConfig, set.Train.Algorithm = g.Spec().ID, []byte(g.Spec().ConfigJSON()), a
	return set, g, nil
}

// check reports settings that a game cannot be trained with, as a UsageError.
func (s settings) check(g env.Game) error {
	if _, err := s.backend(); err != nil {
		return err
	}
	if err := s.Train.Check(g); err != nil {
		return &cli.UsageError{Err: err}
	}
	return nil
}

func names(as []train.Algorithm) (s []string) {
	for _, a := range as {
		s = append(s, string(a))
	}
	return s
}

// load reads the settings of a run folder.
func load(dir string) (settings, error) {
	var base settings
	text, err := readFile(dir, train.ConfigFile)
	if err != nil {
		return base, err
	}
	path := filepath.Join(dir, train.ConfigFile)
	if err := json.Unmarshal(text, &base); err != nil {
		return base, fmt.Errorf("%s: %w", path, input.Short(err))
	}
	set := defaults(base.Train.Algorithm)
	if err := input.DecodeJSON(text, &set); err != nil {
		return set, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// readFile reads a file of a folder without following a link.
func readFile(dir, name string) ([]byte, error) {
	d, err := atomicfile.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return input.Read(f, input.Settings)
}

// save writes the settings to a run folder.
func (s settings) save(dir string) error {
	return atomicfile.Write(filepath.Join(dir, train.ConfigFile), func(w io.Writer) error { return cli.WriteJSON(w, s) })
}
