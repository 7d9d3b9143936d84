package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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

func defaults() settings {
	return settings{Game: catalog.List()[0].ID, GameConfig: []byte("{}"), Backend: "gorgonia", Train: train.DefaultConfig()}
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
	set := defaults()
	f := cli.NewFlags("train", "Train fits a network to a game by self-play, and ends with how strong it is: exactly, where the game is solved.")
	name := f.Game(catalog.IDs())
	steps := f.Uint64("steps", set.Train.Steps, "decisions to train on")
	seed := f.Uint64("seed", set.Train.Seed, "seed of all that is drawn at random")
	out := f.String("out", "", "run `folder` to make (default runs/GAME-PLAYERS-NUMBER)")
	file := f.String("config", "", "JSON `file` with settings; flags override it")
	from := f.String("resume", "", "run `folder` to go on with, under its own settings")
	backend := f.String("backend", set.Backend, "`name` of what fits the network: gorgonia")
	f.Group("Training", "steps", "seed", "config", "backend", "out", "resume")
	f.Example("go run ./cmd/train")
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
	if *file != "" {
		if set, err = load(*file); err != nil {
			return c, err
		}
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
	if set.Backend != "gorgonia" {
		return c, cli.Unknown("backend", set.Backend, []string{"gorgonia"})
	}
	name.Default(set.Game, set.GameConfig)
	g, err := cli.OpenGame(name, catalog.Open)
	if err != nil {
		return c, err
	}
	set.Game = g.Spec().ID
	set.GameConfig = []byte(g.Spec().ConfigJSON())
	if err := set.Train.Validate(); err != nil {
		return c, &cli.UsageError{Err: err}
	}
	c.settings, c.dir = set, *out
	return c, nil
}

// load reads settings over the defaults; unknown fields are errors.
func load(path string) (settings, error) {
	set := defaults()
	b, err := os.ReadFile(path)
	if err != nil {
		return set, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&set); err != nil {
		return set, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// save writes the settings to a run folder.
func (s settings) save(dir string) error {
	return atomicfile.Write(filepath.Join(dir, train.ConfigFile), func(w io.Writer) error { return cli.WriteJSON(w, s) })
}
