package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	// Source is how another process can open the same agent, or nil.
	Source *Source
}

// Source is how [Open] has opened an agent.
type Source struct {
	Name   string
	Sample bool
	Seed   uint64
	Model  *models.File // that was loaded by its name, or nil
	// Network reports whether the policy is the head of a network, without search.
	Network bool
}

// ProbsContext implements [env.ContextPolicy].
func (a *Agent) ProbsContext(ctx context.Context, dst []float64, d env.Decisions) error {
	return env.Probs(ctx, a.Policy, dst, d)
}

// Exact is the name of the agent that plays the exact solution.
const Exact = "exact"

// Files of a run folder: the latest model, and the best one that was evaluated.
const (
	ModelFile = "model.safetensors"
	BestFile  = "best.safetensors"
)

// StepFile returns the name of the file of a run folder with the model after a number of decisions.
func StepFile(steps uint64) string { return fmt.Sprintf("model-%d.safetensors", steps) }

// ModelBytes returns the content of a model file with the model, or nil without one.
func (s *Source) ModelBytes() ([]byte, error) {
	if s.Model == nil {
		return nil, nil
	}
	return s.Model.Encode()
}

// LoadBytes returns [Options].Load for the content of one model file.
func LoadBytes(b []byte) func(name string) (*models.File, error) {
	return func(string) (*models.File, error) { return models.Decode(b) }
}

// Options are the options of [Open].
type Options struct {
	Game env.Game
	// Sample makes networks sample from their policy instead of taking its best action.
	Sample bool
	// Seed is the seed of searches.
	Seed uint64
	// Solve returns the solution for exact play; nil is Game.Solve.
	Solve func(context.Context) (env.Solution, error)
	// Load loads a network by its name; nil is [LoadPretrained] for "pretrained" and
	// [LoadModel] for others.
	Load func(name string) (*models.File, error)
}

// load loads a network by its name.
func (o *Options) load(name string) (*models.File, error) {
	switch {
	case o.Load != nil:
		return o.Load(name)
	case name == Pretrained:
		return LoadPretrained(o.Game.Spec())
	default:
		return LoadModel(name)
	}
}

// ErrUnknown is returned for a name that names neither an agent nor a file.
var ErrUnknown = errors.New("unknown agent")

// errNoGame is returned for Options without a game.
var errNoGame = errors.New("agents: Options.Game is nil; open a game with catalog.Open of package env/catalog")

// Names lists the agents of a game that need no file, except searches.
func Names(g env.Game) []string {
	names := append([]string{Exact}, g.BotNames()...)
	if hasPretrained(g.Spec()) {
		names = append(names, Pretrained)
	}
	return names
}

// BestBot names the strongest bot of a game.
func BestBot(g env.Game) string {
	names := g.BotNames()
	return names[len(names)-1]
}

// NamePatterns lists the names that Open accepts, as text for people.
func NamePatterns(g env.Game) []string {
	return append(append(Names(g), searchPatterns...), lookaheadPattern, "a model file", "a run folder", "RUN@best", "RUN@STEP")
}

// ModelName returns the name of the network in the name of an agent: MODEL in
// "search:BUDGET:MODEL" and "lookahead:K:MODEL", or all of it.
func ModelName(name string) string {
	if parts := strings.SplitN(name, ":", 3); len(parts) == 3 && (parts[0] == Search || parts[0] == Lookahead) {
		return parts[2]
	}
	return name
}

// Open returns the agent of that name: "exact", a bot of the game such as "greedy" or
// "random", "search", "search:BUDGET" or "search:BUDGET:MODEL" with a number of
// simulations or a time per decision, "lookahead:K:MODEL" with a number of plies,
// "pretrained", a model file, or a run folder with a model. A model plays its policy
// head, and "pretrained" as its file says (see [models.Meta]), except with
// Options.Sample. The error for any other name wraps [ErrUnknown], and that for a model
// of another game [models.ErrMismatch].
func Open(ctx context.Context, name string, opt Options) (*Agent, error) {
	if opt.Game == nil {
		return nil, errNoGame
	}
	s := &Source{Name: name, Sample: opt.Sample, Seed: opt.Seed}
	given := opt
	opt.Load = func(name string) (_ *models.File, err error) {
		s.Model, err = given.load(name)
		return s.Model, err
	}
	a, err := open(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	switch a.Policy.(type) {
	case *net, *scorer:
		s.Network = true
	}
	a.Source = s
	return a, nil
}

func open(ctx context.Context, name string, opt Options) (*Agent, error) {
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
		return &Agent{Name: name, Policy: s.Policy()}, nil
	case slices.Contains(opt.Game.BotNames(), name):
		p, err := opt.Game.Bot(name)
		if err != nil {
			return nil, err
		}
		return &Agent{Name: name, Policy: p}, nil
	}
	if name == Search || strings.HasPrefix(name, Search+":") {
		return openSearch(name, opt)
	}
	if name == Lookahead || strings.HasPrefix(name, Lookahead+":") {
		return openLookahead(name, opt)
	}
	f, err := openModel(name, opt)
	if err != nil {
		return nil, err
	}
	if name == Pretrained && f.Meta.Play != "" && !opt.Sample {
		return openPlay(ctx, name, f.Meta.Play, opt)
	}
	return &Agent{Name: name, Policy: NewNet(opt.Game.Spec(), f.MLP, opt.Sample)}, nil
}

// openModel loads the model of that name, which must be of the game.
func openModel(name string, opt Options) (*models.File, error) {
	g := opt.Game
	if g == nil {
		return nil, errNoGame
	}
	f, err := opt.load(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Stat(name); there == nil {
			return nil, fmt.Errorf("%s is not a run folder with a model: %w", name, err)
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

// History replaces the name "RUN@..." by those of all networks that a run has kept of its evaluations,
// in order. Other names stay.
func History(names []string) (all []string, err error) {
	for _, name := range names {
		run, ok := strings.CutSuffix(name, "@...")
		if !ok {
			all = append(all, name)
			continue
		}
		files, err := os.ReadDir(run)
		if err != nil {
			return nil, err
		}
		var steps []uint64
		for _, f := range files {
			text, kept := strings.CutPrefix(f.Name(), "model-")
			if n, err := strconv.ParseUint(strings.TrimSuffix(text, filepath.Ext(text)), 10, 64); kept && err == nil && f.Name() == StepFile(n) {
				steps = append(steps, n)
			}
		}
		if steps == nil {
			return nil, fmt.Errorf("%s has kept no network of an evaluation; train with -set train.keep_evaluated=true", run)
		}
		slices.Sort(steps)
		for _, n := range steps {
			all = append(all, fmt.Sprintf("%s@%d", run, n))
		}
	}
	return all, nil
}

// LoadModel loads a model file or the model of a run folder: "RUN" is the latest, "RUN@best" the best
// one that was evaluated and "RUN@STEP" the model after STEP decisions.
func LoadModel(path string) (*models.File, error) {
	name := ModelFile
	if i := strings.LastIndexByte(path, '@'); i >= 0 {
		if _, err := os.Stat(path); err != nil { // the name of no file or folder
			steps, err := strconv.ParseUint(path[i+1:], 10, 64)
			switch {
			case path[i+1:] == "best":
				path, name = path[:i], BestFile
			case err == nil:
				path, name = path[:i], StepFile(steps)
			}
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, name)
	}
	return models.Load(path)
}

// CommonMeta returns the metadata of the model files among agents of these names, or
// zero if none is a file. It returns an error if their games or settings differ. It
// skips files that cannot be loaded, for which [Open] returns the error.
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
			return meta, fmt.Errorf("%s plays %s for %d players, and %s plays %s for %d; want models of one game with the same settings",
				first, input.Quote(meta.Game), meta.Net.Players, name, input.Quote(f.Meta.Game), f.Meta.Net.Players)
		}
	}
	return meta, nil
}

// MetaOf returns the metadata that a model file of a game has.
func MetaOf(spec game.Spec) models.Meta {
	return models.Meta{
		Game: spec.ID, RulesVersion: spec.Version, RulesHash: spec.RulesHash(), ObsHash: spec.ObsHash(),
		Config: []byte(spec.ConfigJSON()),
		Net:    models.Shape{Obs: spec.ObsLen(), Actions: spec.Actions, Players: spec.Players},
	}
}
