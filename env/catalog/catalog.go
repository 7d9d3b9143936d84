// Package catalog is the one list of games.
package catalog

import (
	"fmt"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/internal/input"
)

// Entry is a game of the list.
type Entry struct {
	ID    string
	About string // a few words for a list of games

	open func(players int, config []byte) (env.Game, error)
}

// List returns all games; the default game of the commands is first, and tables of [Add] are last.
func List() []Entry {
	return append([]Entry{
		{"martian-dice", "press your luck with 13 dice; solved", entry(martiandice.DefaultConfig, martiandice.New)},
		{"mars-is-ours", "robots fight for the ground of Mars, for two to four", entry(marsisours.DefaultConfig, marsisours.New)},
		{"mars-is-ours-fast", "the quick game of Mars is Ours!, for two; solved", entry(marsisours.FastConfig, marsisours.New)},
		{"martian-risk", "conquest of the map with dice and towers, for three to six", entry(martianrisk.DefaultConfig, martianrisk.New)},
		{"martian-risk-small", "Martian Risk on twelve states, a shorter game for three to six", entry(martianrisk.SmallConfig, martianrisk.New)},
		{"martian-risk-tiny", "Martian Risk for two on four regions; solved", entry(martianrisk.TinyConfig, martianrisk.New)},
		{"pig", "press your luck with one die; solved for two", entry(pig.DefaultConfig, pig.New)},
	}, added()...)
}

// IDs returns the ids of all games, in the order of List.
func IDs() []string {
	var ids []string
	for _, e := range List() {
		ids = append(ids, e.ID)
	}
	return ids
}

// Open returns the handle of a game. config, if not nil, is JSON that overrides the
// game's default config; players, if not 0, overrides the number of seats. A table of a game
// must have been opened before, see [OpenNamed].
func Open(id string, players int, config []byte) (env.Game, error) {
	table, err := openTable(id, config) // several tables may have an id
	if table != nil && (players == 0 || players == table.Spec().Players) {
		return table, nil
	}
	for _, e := range List() {
		if e.ID == id {
			return e.open(players, config)
		}
	}
	switch {
	case table != nil:
		return nil, fmt.Errorf("%s is for %d players, since it is a table; leave their number out", id, table.Spec().Players)
	case err != nil:
		return nil, err
	}
	return nil, fmt.Errorf("unknown game %s; want one of: %s", input.Quote(id), strings.Join(IDs(), ", "))
}

// entry returns the open function of a game with a default config, whose number of seats has the
// key "players", and a constructor of its rules. People can read the positions.
func entry[C any, S comparable, R interface {
	game.Rules[S]
	game.Presenter[S]
}](def func() C, rules func(C) (R, error)) func(int, []byte) (env.Game, error) {
	return func(players int, config []byte) (env.Game, error) {
		cfg := def()
		if config != nil {
			if err := input.DecodeJSON(config, &cfg); err != nil {
				return nil, fmt.Errorf("game config: %w", err)
			}
		}
		if players != 0 {
			if err := input.DecodeJSON(fmt.Appendf(nil, `{"players": %d}`, players), &cfg); err != nil {
				return nil, err
			}
		}
		r, err := rules(cfg)
		if err != nil {
			return nil, err
		}
		return env.NewGame(game.Rules[S](r)), nil
	}
}
