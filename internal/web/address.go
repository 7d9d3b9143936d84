package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/internal/input"
)

// Address is a game in progress. Its dice are those of cmd/play with the same seed.
type Address struct {
	Game    string   `json:"game"`
	Players int      `json:"players,omitempty"` // 0 is the number in the config of the game
	Seed    uint64   `json:"seed,string"`       // of the dice; as text, since a number of JavaScript has 53 bits
	Seats   []string `json:"seats,omitempty"`   // [P] Human, or the name of an agent; nil for people in all
	Typed   bool     `json:"typed,omitempty"`   // people roll the dice, and Moves holds the rolls
	Start   string   `json:"start,omitempty"`   // the first position; "" is that of the game
	Moves   []string `json:"moves,omitempty"`   // the actions by name and, if Typed, the rolls, in order
	Line    []string `json:"line,omitempty"`    // the moves of the game that Moves is a variation of; kept, not played
}

// Human is the name of a person in a seat.
const Human = "human"

// maxName bounds the name of a seat, in bytes. Chosen: above that of an agent of a run folder.
const maxName = 512

// maxMoves bounds the number of moves of a game. Chosen: above that of a game of Pig that
// never ends its turns.
const maxMoves = 20_000

// maxPosition bounds the notation of a position, in bytes. Chosen: above that of every game.
const maxPosition = 4096

// maxPlayers bounds the number of seats. Chosen: above that of every game.
const maxPlayers = 20

// open opens the game of an address and fills in what the address leaves out.
func (a *Address) open() (env.Game, error) {
	if a.Players < 0 || a.Players > maxPlayers {
		return nil, message.NewError("players is {0}; want {1} to {2}", a.Players, 1, maxPlayers)
	}
	if !slices.Contains(catalog.IDs(), a.Game) {
		return nil, message.NewError("unknown game {0}; want one of: {1}", input.Quote(a.Game), texts(catalog.IDs()))
	}
	g, err := catalog.Open(a.Game, a.Players, nil)
	if err != nil {
		return nil, err
	}
	a.Players = g.Spec().Players
	if a.Seats == nil {
		a.Seats = slices.Repeat([]string{Human}, a.Players)
	}
	if len(a.Seats) != a.Players {
		return nil, message.NewError("there are {0} seats; want {1}", len(a.Seats), a.Players)
	}
	for _, name := range a.Seats {
		if len(name) > maxName {
			return nil, fmt.Errorf("the name of a seat has %d bytes; want at most %d", len(name), maxName)
		}
	}
	if len(a.Start) > maxPosition {
		return nil, fmt.Errorf("the position has %d bytes; want at most %d", len(a.Start), maxPosition)
	}
	if n := max(len(a.Moves), len(a.Line)); n > maxMoves {
		return nil, fmt.Errorf("there are %d moves; want at most %d", n, maxMoves)
	}
	return g, nil
}

// texts returns a list of what is the same in every language.
func texts(list []string) (all []message.Message) {
	for _, text := range list {
		all = append(all, message.Text(text))
	}
	return all
}

// ByRules returns the names of files of the exported page by the rules hashes of their games.
// Each is a preset and its number of players, such as "martian-risk-small-3", between prefix and
// suffix. Presets share the id of their game, which therefore names no file.
func ByRules(names []string, prefix, suffix string) map[string]string {
	found := map[string]string{}
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, prefix)
		id := strings.TrimSuffix(rest, suffix)
		i := strings.LastIndexByte(id, '-')
		if !ok || i < 0 {
			continue
		}
		players, err := strconv.Atoi(id[i+1:])
		if err != nil {
			continue
		}
		if g, err := catalog.Open(id[:i], players, nil); err == nil {
			found[g.Spec().RulesHash()] = name
		}
	}
	return found
}

// preset returns the id of the preset for that number of players that matches, or "". Presets
// can share the id of their game.
func preset(players int, matches func(game.Spec) bool) string {
	for _, id := range catalog.IDs() {
		if g, err := catalog.Open(id, players, nil); err == nil && matches(g.Spec()) {
			return id
		}
	}
	return ""
}

// replay is a game that is played again from its address.
type replay struct {
	Address
	game env.Game
	spec game.Spec
	rec  *record.Game
	to   message.Speaker // for those who sit there
}

// wrongMove is the key of an error about a move of an address.
const wrongMove = "move {0}: {1}"

// replay plays the game of an address again. Where the dice are drawn it goes on to the
// next decision or the end.
func (a Address) replay(ctx context.Context) (*replay, error) {
	g, err := a.open()
	if err != nil {
		return nil, err
	}
	r := &replay{Address: a, game: g, spec: g.Spec(), rec: record.New(g, a.Seats)}
	if !a.Typed {
		r.rec.Seed = &a.Seed
	}
	r.rec.Session.Seed(a.Seed)
	if a.Start != "" {
		at, err := g.Parse(a.Start)
		if err != nil {
			return nil, err
		}
		r.rec.Begin(at)
	}
	r.draw()
	for i, name := range a.Moves {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.move(name); err != nil {
			return nil, message.NewError(wrongMove, i+1, err)
		}
		r.draw()
	}
	return r, nil
}

// draw draws dice until a seat is to move, unless people roll them.
func (r *replay) draw() {
	for !r.Typed && r.rec.Position().CurrentPlayer() == game.Chance && !r.rec.AtLimit() {
		r.rec.Roll()
	}
}

// move plays an action by its name or, where chance is to move, a roll.
func (r *replay) move(name string) error {
	at := r.rec.Position()
	switch {
	case at.CurrentPlayer() == game.Terminal:
		return game.ErrGameOver
	case r.rec.AtLimit():
		return message.NewError("the game has reached its limit of moves")
	case at.CurrentPlayer() == game.Chance:
		if err := r.rec.ReadRoll(name); err != nil {
			return message.NewError("the roll {0}: {1}", input.Quote(name), err)
		}
		return nil
	}
	var names []string
	for _, a := range at.Legal() {
		n := r.game.ActionName(a)
		if n == name {
			return r.rec.Apply(a)
		}
		names = append(names, n)
	}
	if near := input.Nearest(name, names); near != "" {
		return message.NewError("{0} is no legal action here; did you mean {1}?", input.Quote(name), near)
	}
	return message.NewError("{0} is no legal action here", input.Quote(name))
}
