package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/jobs"
)

// Kinds of jobs of this package.
const (
	TabulateKind = "tabulate"
	MatchKind    = "match"
)

// Kinds returns the functions of the jobs of this package.
func Kinds() map[string]jobs.Func {
	w := new(openedCache)
	return map[string]jobs.Func{TabulateKind: w.tabulate, MatchKind: w.match}
}

// seating is the first input of the jobs of this package: a game and its agents. The models
// are the other inputs.
type seating struct {
	Game   string          `json:"game"`
	Config json.RawMessage `json:"config"`
	Agents []seatedAgent   `json:"agents"`
}

// seatedAgent is an agent that another process opens.
type seatedAgent struct {
	Name   string `json:"name"`
	Sample bool   `json:"sample,omitempty"`
	Seed   uint64 `json:"seed,omitempty"`
	Model  string `json:"model,omitempty"` // the digest of an input, if it has a model of its own
}

// portable reports whether other processes can open an agent and find the same policy: not
// one whose searches have a time limit.
func portable(a *agents.Agent) bool {
	if a.Source == nil {
		return false
	}
	_, time := agents.Budget(a.Source.Name)
	return time == 0
}

// newSeating returns the inputs of jobs about these agents, which are portable.
func newSeating(g env.Game, entrants []*agents.Agent) ([]*jobs.Blob, error) {
	spec := g.Spec()
	s := seating{Game: spec.ID, Config: json.RawMessage(spec.ConfigJSON())}
	inputs := []*jobs.Blob{nil}
	known := map[jobs.Digest]bool{}
	for _, a := range entrants {
		x := seatedAgent{Name: a.Source.Name, Sample: a.Source.Sample, Seed: a.Source.Seed}
		b, err := a.Source.ModelBytes()
		if err != nil {
			return nil, err
		}
		if b != nil {
			model := jobs.NewBlob(b)
			x.Model = model.Digest.String()
			if !known[model.Digest] {
				known[model.Digest] = true
				inputs = append(inputs, model)
			}
		}
		s.Agents = append(s.Agents, x)
	}
	text, err := json.Marshal(s)
	inputs[0] = jobs.NewBlob(text)
	return inputs, err
}

// opened are a game and its agents in a worker.
type opened struct {
	game   env.Game
	agents []*agents.Agent // equal ones are the same
}

// openedCache opens the games and agents of jobs, each once.
type openedCache struct{ cache jobs.Cache[*opened] }

// of reads the arguments of a job, and returns the game and the agents of its inputs.
func (w *openedCache) of(ctx context.Context, text []byte, args any, inputs []*jobs.Blob) (*opened, error) {
	if err := json.Unmarshal(text, args); err != nil {
		return nil, err
	}
	if len(inputs) == 0 {
		return nil, errors.New("a job without a game")
	}
	return w.cache.Of(ctx, inputs[0], func(text []byte) (*opened, error) {
		var s seating
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		return w.openAll(context.WithoutCancel(ctx), s, inputs[1:])
	})
}

func (w *openedCache) openAll(ctx context.Context, s seating, models []*jobs.Blob) (*opened, error) {
	g, err := catalog.Open(s.Game, 0, s.Config)
	if err != nil {
		return nil, err
	}
	if len(s.Agents) == 0 || len(s.Agents) > g.Spec().Players {
		return nil, fmt.Errorf("%d agents in a game for %d players", len(s.Agents), g.Spec().Players)
	}
	o := &opened{game: g}
	solve := sync.OnceValues(func() (env.Solution, error) { return g.Solve(ctx, nil) })
	for i, x := range s.Agents {
		if k := slices.Index(s.Agents[:i], x); k >= 0 {
			o.agents = append(o.agents, o.agents[k])
			continue
		}
		a, err := agents.Open(ctx, x.Name, agents.Options{
			Game: g, Sample: x.Sample, Seed: x.Seed, Load: agents.LoadBytes(find(models, x.Model)),
			Solve: func(context.Context) (env.Solution, error) { return solve() },
		})
		if err != nil {
			return nil, err
		}
		o.agents = append(o.agents, a)
	}
	return o, nil
}

// find returns the bytes of the input of that digest, or nil: a worker reads no files for
// others.
func find(inputs []*jobs.Blob, digest string) []byte {
	for _, b := range inputs {
		if b.Digest.String() == digest {
			return b.Bytes
		}
	}
	return nil
}
