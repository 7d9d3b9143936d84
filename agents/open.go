package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/input"
	"marsgym/models"
)

// Agent is a policy with a name.
type Agent struct {
	Name string
	env.Policy
}

// ProbsContext implements [env.ContextPolicy].
func (a *Agent) ProbsContext(ctx context.Context, dst []float64, d env.Decisions) error {
	return env.Probs(ctx, a.Policy, dst, d)
}

// Exact is the name of the agent that plays the exact solution.
const Exact = "exact"

// ModelFile is the name of the model in a run folder.
const ModelFile = "model.safetensors"

// Options say how to open an agent.
type Options struct {
	Game env.Game
	// Sample makes networks draw from their policy rather than take its best.
	Sample bool
	// Seed is that of searches.
	Seed uint64
	// Solve solves the game where the exact player is wanted; nil is Game.Solve.
	Solve func(context.Context) (env.Solution, error)
}

// ErrUnknown is returned for a name that is neither an agent nor a file.
var ErrUnknown = errors.New("unknown agent")

// Names lists the agents of a game that need no file.
func Names(g env.Game) []string {
	names := append([]string{Exact}, g.BotNames()...)
	if hasPretrained(g.Spec()) {
		names = append(names, Pretrained)
	}
	return names
}

// Forms lists how agents of a game are named, for people.
func NamePatterns(g env.Game) []string {
	return append(append(Names(g), searchForms...), "a model file", "a run folder")
}

// Open returns the agent of that name: "exact", a player of the game such as
// "greedy" or "random", "search" (as [Forms] has it), "pretrained", a model file,
// or a run folder with one. An error that wraps ErrUnknown means that it is none
// of them.
func Open(ctx context.Context, name string, opt Options) (*Agent, error) {
	switch {
	case name == Exact:
		solve := opt.Solve
		if solve == nil {
			solve = func(ctx context.Context) (env.Solution, error) { return opt.Game.Solve(ctx, nil) }
		}
		s, err := solve(ctx)
		if err != nil {
			return nil, err
		}
		return &Agent{name, s.Policy()}, nil
	case slices.Contains(opt.Game.BotNames(), name):
		p, err := opt.Game.Bot(name)
		if err != nil {
			return nil, err
		}
		return &Agent{name, p}, nil
	}
	if name == Search || strings.HasPrefix(name, Search+":") {
		return openSearch(name, opt)
	}
	f, err := openModel(name, opt.Game)
	if err != nil {
		return nil, err
	}
	return &Agent{name, NewNet(opt.Game.Spec(), f.MLP, opt.Sample)}, nil
}

// openModel loads the model of an agent of that name, which must be of the game.
func openModel(name string, g env.Game) (*models.File, error) {
	f, err := load(name, g.Spec())
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Stat(name); there == nil {
			return nil, fmt.Errorf("%s is no run folder with a model: %w", name, err)
		}
		return nil, fmt.Errorf("%w %q: agents are %s", ErrUnknown, name, strings.Join(NamePatterns(g), ", "))
	}
	if err != nil {
		return nil, err
	}
	if err := f.Meta.Check(MetaOf(g.Spec())); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// load loads the model of an agent.
func load(name string, spec game.Spec) (*models.File, error) {
	if name == Pretrained {
		return loadPretrained(spec)
	}
	return LoadModel(name)
}

// LoadFile loads a model file, or that of a run folder.
func LoadModel(path string) (*models.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, ModelFile)
	}
	return models.Load(path)
}

// MetaOfModels is what the model files among agents of these names say of their
// game, zero if none is a file. The error says that they cannot play each other.
// A file that cannot be loaded is left to [Open].
func CommonMeta(names []string) (meta models.Meta, err error) {
	first := ""
	for _, name := range names {
		f, err := LoadModel(ModelName(name))
		if err != nil {
			continue
		}
		if first == "" {
			first, meta = name, f.Meta
		} else if f.Meta.RulesHash != meta.RulesHash {
			return meta, fmt.Errorf("%s plays %s for %d, and %s plays %s for %d; want models of one game with the same settings",
				first, input.Quote(meta.Game), meta.Net.Players, name, input.Quote(f.Meta.Game), f.Meta.Net.Players)
		}
	}
	return meta, nil
}

// MetaOf is what a model file of a game says of the game.
func MetaOf(spec game.Spec) models.Meta {
	return models.Meta{
		Game: spec.ID, RulesVersion: spec.Version, RulesHash: spec.RulesHash(), ObsHash: spec.ObsHash(),
		Config: []byte(spec.ConfigJSON()),
		Net:    models.Shape{Obs: spec.ObsLen(), Actions: spec.Actions, Players: spec.Players},
	}
}
