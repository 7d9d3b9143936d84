package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/train"
)

// settings are all that decides how a run ends; config.json in its folder.
type settings struct {
	Game       string          `json:"game"`
	GameConfig json.RawMessage `json:"game_config"`
	Backend    string          `json:"backend"`
	Train      train.Config    `json:"train"`
}

func defaults(a train.Algorithm) settings {
	return settings{Game: catalog.List()[0].ID, GameConfig: []byte("{}"), Backend: backends[0], Train: train.DefaultConfig(a)}
}

// suited is the algorithm that a game is trained with unless another is asked
// for: the deepest search that it offers.
func suited(g env.Game) train.Algorithm {
	for _, a := range []train.Algorithm{train.TurnExact} {
		c := train.DefaultConfig(a)
		if _, err := g.NewExpert(c.Expert.Search, 1, 0); err == nil {
			return a
		}
	}
	return train.AlgorithmPPO
}

// call is what a command line asks for.
type call struct {
	settings
	dir    string // the run folder; "" takes a free one
	resume bool
	cache  string // the folder of solutions; "" is none
}

// parse reads the command line; the game's config comes in full.
func parse(args []string, stdout io.Writer) (c call, err error) {
	f := cli.NewFlags("train", "Train fits a network to a game by self-play, and ends with how strong it is: exactly, where the game is solved.")
	name := f.Game(catalog.IDs())
	algorithm := f.String("algorithm", "", "`way` to learn: ppo, one-ply or turn-exact (default the deepest search that the game offers, else ppo)")
	steps := f.Uint64("steps", 0, "decisions to train on (default as the algorithm has it)")
	seed := f.Uint64("seed", 1, "seed of all that is drawn at random")
	out := f.String("out", "", "run `folder` to make (default runs/GAME-PLAYERS-NUMBER)")
	file := f.String("config", "", "JSON `file` with settings; flags override it")
	from := f.String("resume", "", "run `folder` to go on with, under its own settings")
	backend := f.String("backend", backends[0], "`name` of what fits the network: "+strings.Join(backends, ", "))
	f.Group("Training", "algorithm", "steps", "seed", "config", "backend", "out", "resume")
	f.Example("go run ./cmd/train")
	f.Example("go run ./cmd/train -algorithm ppo")
	f.Example("go run ./cmd/train -game pig -steps 2000000 -out runs/pig")
	f.Example("go run ./cmd/train -resume runs/pig")
	if err := f.Parse(args, stdout); err != nil {
		return c, err
	}
	c.cache = name.CacheDir()
	given := map[string]bool{}
	f.Visit(func(fl *flag.Flag) { given[fl.Name] = true })
	if *from != "" {
		delete(given, "cache")
		if len(given) > 1 {
			return c, cli.Usagef("-resume goes on under the settings of the run; leave out the other flags")
		}
		c.dir, c.resume = *from, true
		c.settings, err = load(filepath.Join(*from, train.ConfigFile))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is no run folder: it has no %s", *from, train.ConfigFile)
		}
		return c, err
	}
	var base settings // what the file says, over nothing
	var text []byte
	if *file != "" {
		if text, err = os.ReadFile(*file); err != nil {
			return c, err
		}
		if err := json.Unmarshal(text, &base); err != nil {
			return c, fmt.Errorf("%s: %w", *file, err)
		}
	}
	name.Default(base.Game, base.GameConfig)
	g, err := cli.OpenGame(name, catalog.Open)
	if err != nil {
		return c, err
	}
	set := defaults(cmp.Or(train.Algorithm(*algorithm), base.Train.Algorithm, suited(g)))
	if err := decode(&set, text); err != nil {
		return c, fmt.Errorf("%s: %w", *file, err)
	}
	set.Game = g.Spec().ID
	set.GameConfig = []byte(g.Spec().ConfigJSON())
	if *algorithm != "" {
		set.Train.Algorithm = train.Algorithm(*algorithm)
	}
	if given["steps"] {
		set.Train.Steps = *steps
	}
	if given["seed"] {
		set.Train.Seed = *seed
	}
	if given["backend"] {
		set.Backend = *backend
	}
	if !slices.Contains(backends, set.Backend) {
		return c, cli.Unknown("backend", set.Backend, backends)
	}
	if !slices.Contains(train.Algorithms(), set.Train.Algorithm) {
		return c, cli.Unknown("algorithm", string(set.Train.Algorithm), names(train.Algorithms()))
	}
	if err := set.Train.Validate(); err != nil {
		return c, &cli.UsageError{Err: err}
	}
	c.settings, c.dir = set, *out
	return c, nil
}

// backends are those that this program is built with, the default first.
var backends = []string{"gorgonia"}

func names(as []train.Algorithm) (s []string) {
	for _, a := range as {
		s = append(s, string(a))
	}
	return s
}

// load reads the settings of a run folder.
func load(path string) (settings, error) {
	var base settings
	text, err := os.ReadFile(path)
	if err != nil {
		return base, err
	}
	if err := json.Unmarshal(text, &base); err != nil {
		return base, fmt.Errorf("%s: %w", path, err)
	}
	set := defaults(base.Train.Algorithm)
	if err := decode(&set, text); err != nil {
		return set, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// decode reads settings over others; unknown fields are errors, and no text
// says nothing.
func decode(set *settings, text []byte) error {
	if text == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(set)
}

// save writes the settings to a run folder.
func (s settings) save(dir string) error {
	return atomicfile.Write(filepath.Join(dir, train.ConfigFile), func(w io.Writer) error { return cli.WriteJSON(w, s) })
}
