package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/input"
	"marsgym/models"
)

// Agents opens the agents of a command in one game, each once, and solves the game at most
// once.
type Agents struct {
	Game    env.Game
	Sample  bool   // networks sample from their policy
	Seed    uint64 // of searches
	Cache   string // the folder of solutions, or "" for none
	Command string // names the command in messages
	Played  bool   // a record sets the game, so that no flag can
	Bar     *Progress
	// Begin, if it is not nil, is called when the solver begins, with the fraction that an
	// earlier call has done.
	Begin func(done float64)

	solution env.Solution
	opened   map[string]*agents.Agent
}

// Solve returns the solution of the game.
func (a *Agents) Solve(ctx context.Context) (env.Solution, error) {
	if a.solution != nil {
		return a.solution, nil
	}
	begun := a.Begin == nil
	s, err := a.Game.SolveCached(ctx, a.Cache, func(done float64) {
		if !begun {
			a.Begin(done)
			begun = true
		}
		a.Bar.Set(done, "solving "+a.Game.Spec().Title)
	}, func(err error) {
		a.Cache = ""
		fmt.Fprintf(a.Bar, "%s: %v; it is computed without the cache; use -cache to name another folder, or -cache none for no cache\n", a.Command, err)
	})
	a.Bar.Clear()
	if err == nil {
		a.solution = s
	}
	return s, err
}

// Open is [agents.Open] with errors for the command line: an unknown name is a [UsageError]
// with the likely correction, and the error of a model of another game names the flags that
// open it.
func (a *Agents) Open(ctx context.Context, name string) (*agents.Agent, error) {
	if x := a.opened[name]; x != nil {
		return x, nil
	}
	x, err := agents.Open(ctx, name, agents.Options{Game: a.Game, Sample: a.Sample, Seed: a.Seed, Solve: a.Solve})
	if model := agents.ModelName(name); errors.Is(err, agents.ErrUnknown) && model != name && !strings.Contains(err.Error(), strconv.Quote(model)) {
		return nil, &UsageError{err} // what is before the network is wrong
	} else if errors.Is(err, agents.ErrUnknown) && isPath(model) {
		return nil, Usagef("there is no model file or run folder %s", input.Quote(model))
	} else if errors.Is(err, agents.ErrUnknown) {
		return nil, Unknown("agent", model, agents.NamePatterns(a.Game))
	}
	if err != nil && !a.Played {
		err = modelFlags(err)
	}
	if err != nil {
		return nil, err
	}
	if a.opened == nil {
		a.opened = map[string]*agents.Agent{}
	}
	a.opened[name] = x
	return x, nil
}

// isPath reports whether a name is that of a file or a folder, not of an agent.
func isPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || filepath.Ext(name) == filepath.Ext(agents.ModelFile)
}

// CheckSeats returns a [UsageError] if a flag names agents that do not fill n seats: one agent
// fills all of them.
func CheckSeats(flag string, names []string, n int, seats string) error {
	switch {
	case n == 0 && names != nil:
		return Usagef("-%s: there are no other seats", flag)
	case len(names) > 1 && len(names) != n:
		return Usagef("-%s names %d agents, and the number of %s is %d; name one agent, or one for each of these seats", flag, len(names), seats, n)
	}
	return nil
}

// modelFlags adds to a [models.MismatchError] the flags with which the model can be
// opened, if there are any.
func modelFlags(err error) error {
	var m *models.MismatchError
	if !errors.As(err, &m) {
		return err
	}
	switch {
	case m.Model.Game != m.Want.Game:
		return fmt.Errorf("%w; open it with -game %s", err, input.Quote(m.Model.Game))
	case m.Model.RulesVersion != m.Want.RulesVersion:
		return err
	case m.Model.Net.Players != m.Want.Net.Players:
		return fmt.Errorf("%w; open it with -players %d", err, m.Model.Net.Players)
	case m.Model.RulesHash != m.Want.RulesHash:
		return fmt.Errorf("%w; open it with a -game-config of those settings", err)
	}
	return err
}

// OpenAll opens the agents of these names.
func (a *Agents) OpenAll(ctx context.Context, names []string) ([]*agents.Agent, error) {
	list := make([]*agents.Agent, len(names))
	for i, name := range names {
		var err error
		if list[i], err = a.Open(ctx, name); err != nil {
			return nil, err
		}
	}
	return list, nil
}
