//go:build cgo

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/words"
	"marsgym/internal/kernel/simd"
	"marsgym/internal/rulesbook"
)

// openGame is a game with its solution, once that is computed.
type openGame struct {
	env.Game
	spec      game.Spec
	languages func() []*message.Language // in which its rules are written
	parser    func() *words.Parser

	mu       sync.Mutex
	solution env.Solution

	opening sync.Mutex
	opened  map[string]*agents.Agent // the agents of marsgym_play_on and of measurements
}

func newOpenGame(g env.Game) *openGame {
	spec := g.Spec()
	languages := sync.OnceValue(func() []*message.Language { return rulesbook.Languages(spec) })
	parser := sync.OnceValue(func() *words.Parser { return words.NewParser(g) })
	return &openGame{Game: g, spec: spec, languages: languages, parser: parser}
}

func (g *openGame) solved() (env.Solution, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.solution == nil {
		return nil, fmt.Errorf("%s is not solved yet; call solve first", g.spec.ID)
	}
	return g.solution, nil
}

// agent opens the agent of a name. The game must be solved before "exact" is opened.
func (g *openGame) agent(ctx context.Context, name string, sample bool, seed uint64) (*agents.Agent, error) {
	return agents.Open(ctx, name, agents.Options{
		Game: g.Game, Sample: sample, Seed: seed,
		Solve: func(context.Context) (env.Solution, error) { return g.solved() },
	})
}

// cacheFolder returns the folder of solution files: "auto" is that of the commands.
func cacheFolder(name string) string {
	if name != "auto" {
		return name
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "marsgym")
}

// entry is a game of the catalog.
type entry struct {
	ID      string `json:"id"`
	About   string `json:"about"`
	Title   string `json:"title"`
	Version int    `json:"version"` // of the rules
}

// marsgym_games writes the list of games, and the version of Go.
//
//export marsgym_games
func marsgym_games(out **C.char) result {
	return document(out, func() (any, error) {
		var list []entry
		for _, e := range catalog.List() {
			g, err := catalog.Open(e.ID, 0, nil)
			if err != nil {
				return nil, err
			}
			list = append(list, entry{e.ID, e.About, g.Spec().Title, g.Spec().Version})
		}
		return struct {
			Go    string  `json:"go"`
			Games []entry `json:"games"`
		}{runtime.Version(), list}, nil
	})
}

// specification is game.Spec as JSON.
type specification struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Version    int             `json:"version"`
	Config     json.RawMessage `json:"config"`
	RulesHash  string          `json:"rules_hash"`
	Players    int             `json:"players"`
	MinPlayers int             `json:"min_players"`
	MaxPlayers int             `json:"max_players"`

	Actions     []string    `json:"actions"` // names
	ObsLen      int         `json:"obs_len"`
	Observation []fieldSpec `json:"observation"`
	ObsScales   []int       `json:"obs_scales"`

	Information string  `json:"information"`
	Chance      string  `json:"chance"`
	Utility     string  `json:"utility"`
	HasWin      bool    `json:"has_win"`
	Win         float64 `json:"win"`
	Loss        float64 `json:"loss"`
	Unit        string  `json:"unit"`
	MoveLimit   int     `json:"move_limit"`
	ChanceLimit int     `json:"chance_limit"`

	Bots   []string `json:"bots"`
	Agents []string `json:"agents"`

	Warning string `json:"warning"` // what is odd about the game, or ""
}

type fieldSpec struct {
	Name string `json:"name"`
	Len  int    `json:"len"`
}

func specify(g env.Game) specification {
	spec := g.Spec()
	s := specification{
		ID: spec.ID, Title: spec.Title, Version: spec.Version, Config: []byte(spec.ConfigJSON()), RulesHash: spec.RulesHash(),
		Players: spec.Players, MinPlayers: spec.MinPlayers, MaxPlayers: spec.MaxPlayers, ObsLen: spec.ObsLen(), ObsScales: spec.ObsScales(),
		Information: string(spec.Information), Chance: string(spec.Chance), Utility: string(spec.Utility()),
		HasWin: spec.HasWin(), Win: spec.Win, Loss: spec.Loss, Unit: spec.Unit,
		MoveLimit: spec.MoveLimit, ChanceLimit: spec.ChanceLimit(),
		Bots: g.BotNames(), Agents: agents.Names(g),
	}
	for a := range spec.Actions {
		s.Actions = append(s.Actions, g.ActionName(game.Action(a)))
	}
	if w, ok := g.Rules().(interface{ Warning() string }); ok {
		s.Warning = w.Warning()
	}
	for _, f := range spec.Observation {
		s.Observation = append(s.Observation, fieldSpec{f.Name, f.Len})
	}
	return s
}

// observation is what the pages of a game say of its observations.
type observation struct {
	Notes    string   `json:"notes"`
	Meanings []string `json:"meanings"` // of the fields
}

// marsgym_observation writes what the pages of a game say of its observations, see
// [rulesbook.Observation].
//
//export marsgym_observation
func marsgym_observation(g C.uintptr_t, out **C.char) result {
	return document(out, func() (any, error) {
		g, err := resolve[*openGame](g)
		if err != nil {
			return nil, err
		}
		notes, meanings := rulesbook.Observation(g.spec)
		return observation{notes, meanings}, nil
	})
}

// codes are game.Codes as JSON. The scales are those of the specification.
type codes struct {
	Start  []int     `json:"start"`
	Values []float32 `json:"values"`
}

// marsgym_codes writes how bytes stand for the observations of a game.
//
//export marsgym_codes
func marsgym_codes(g C.uintptr_t, out **C.char) result {
	return document(out, func() (any, error) {
		g, err := resolve[*openGame](g)
		if err != nil {
			return nil, err
		}
		c, err := g.Codes()
		if err != nil {
			return nil, err
		}
		return codes{c.Start, append([]float32{}, c.Values...)}, nil
	})
}

// marsgym_open opens a game of the catalog, or the file of a table, and writes its specification.
// players 0 is the default number; config is JSON that overrides the default config, or NULL.
//
//export marsgym_open
func marsgym_open(id *C.char, players C.int, config *C.char, g *C.uintptr_t, out **C.char) result {
	return document(out, func() (any, error) {
		var cfg []byte
		if config != nil {
			cfg = []byte(C.GoString(config))
		}
		if err := simd.Err(); err != nil {
			return nil, err
		}
		opened, err := catalog.OpenNamed(C.GoString(id), int(players), cfg)
		if err != nil {
			return nil, err
		}
		*g = handle(newOpenGame(opened))
		return specify(opened), nil
	})
}
