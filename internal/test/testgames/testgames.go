// Package testgames holds games and policies for tests.
package testgames

import (
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/env/pig"
)

// Open returns a game of the catalog, see [catalog.Open].
func Open(t testing.TB, id string, players int, config string) env.Game {
	t.Helper()
	g, err := catalog.Open(id, players, []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Reduced returns a Martian Dice for two players that takes no time to solve.
func Reduced(t testing.TB) env.Game {
	t.Helper()
	return Open(t, "martian-dice", 2, `{"dice": 4, "target": 6}`)
}

// NewPig returns Pig for players to a target.
func NewPig(t testing.TB, players, target int) *pig.Rules {
	t.Helper()
	r, err := pig.New(pig.Config{Players: players, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// NewMartianDice returns Martian Dice with a number of dice to a target.
func NewMartianDice(t testing.TB, players, dice, target int) *martiandice.Rules {
	t.Helper()
	c := martiandice.DefaultConfig()
	c.Players, c.Dice, c.Target = players, dice, target
	r, err := martiandice.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// LimitedPig is Pig with a move limit.
type LimitedPig struct {
	*pig.Rules
	Moves int
}

// LimitedMartianDice is Martian Dice with a move limit.
type LimitedMartianDice struct {
	*martiandice.Rules
	Moves int
}

func (l LimitedPig) Spec() game.Spec         { return limit(l.Rules.Spec(), l.Moves) }
func (l LimitedMartianDice) Spec() game.Spec { return limit(l.Rules.Spec(), l.Moves) }

func limit(s game.Spec, moves int) game.Spec {
	s.MoveLimit = moves
	return s
}

// PlainPig is Pig without its optional interfaces.
type PlainPig struct{ game.Rules[pig.State] }

// Coin is a game that may be over before a seat can act: tails ends it, heads lets
// seat 0 claim the win or leave it to seat 1.
type Coin struct{}

// Face is the state of Coin.
type Face struct{ Side uint8 } // 0 in the air, 1 tails, 2 heads, 3 claimed, 4 left

func (Coin) Spec() game.Spec {
	return game.Spec{ID: "coin", Title: "Coin", Version: 1, Players: 2, Actions: 2,
		Observation: []game.Field{{Name: "side", Len: 1}}, Win: 1, Loss: -1}
}
func (Coin) Initial() Face { return Face{} }
func (Coin) CurrentPlayer(s Face) game.Player {
	return map[uint8]game.Player{0: game.Chance, 1: game.Terminal, 2: 0, 3: game.Terminal, 4: game.Terminal}[s.Side]
}
func (Coin) Legal(dst []game.Action, s Face) []game.Action {
	if s.Side == 2 {
		dst = append(dst, 0, 1)
	}
	return dst
}
func (Coin) Outcomes(dst []game.Outcome[Face], s Face) []game.Outcome[Face] {
	if s.Side == 0 {
		dst = append(dst, game.Outcome[Face]{State: Face{1}, Prob: 0.75}, game.Outcome[Face]{State: Face{2}, Prob: 0.25})
	}
	return dst
}
func (Coin) Apply(s Face, a game.Action) (Face, error) {
	if s.Side != 2 || a < 0 || a > 1 {
		return s, game.ErrIllegalAction
	}
	return Face{3 + uint8(a)}, nil
}
func (Coin) Returns(dst []float64, s Face) []float64 {
	pay := map[uint8]float64{3: 1, 4: -1}[s.Side]
	return append(dst, pay, -pay)
}
func (Coin) Encode(dst []float32, s Face, _ game.Player) { dst[0] = float32(s.Side) }

// March is a game for two: the seats take turns to step, and who steps for the last time wins.
// A batch truncates it after Moves decisions.
type March struct {
	Length, Moves int
	Chance        bool // a transition of chance follows the last step
}

// Mile is the state of March.
type Mile struct{ At uint8 }

func (m March) Spec() game.Spec {
	return game.Spec{ID: "march", Title: "March", Version: 1, Players: 2, Actions: 1, MoveLimit: m.Moves,
		Observation: []game.Field{{Name: "at", Len: 1}}, Win: 1, Loss: -1}
}
func (March) Initial() Mile { return Mile{} }
func (m March) CurrentPlayer(s Mile) game.Player {
	switch {
	case int(s.At) < m.Length:
		return game.Player(s.At % 2)
	case int(s.At) == m.Length && m.Chance:
		return game.Chance
	}
	return game.Terminal
}
func (m March) Legal(dst []game.Action, s Mile) []game.Action {
	if int(s.At) < m.Length {
		dst = append(dst, 0)
	}
	return dst
}
func (m March) Outcomes(dst []game.Outcome[Mile], s Mile) []game.Outcome[Mile] {
	if m.CurrentPlayer(s) == game.Chance {
		dst = append(dst, game.Outcome[Mile]{State: Mile{s.At + 1}, Prob: 1})
	}
	return dst
}
func (m March) Apply(s Mile, a game.Action) (Mile, error) {
	if int(s.At) >= m.Length {
		return s, game.ErrGameOver
	}
	if a != 0 {
		return s, game.ErrIllegalAction
	}
	return Mile{s.At + 1}, nil
}
func (m March) Returns(dst []float64, s Mile) []float64 {
	if m.CurrentPlayer(s) != game.Terminal {
		return append(dst, 0, 0)
	}
	if m.Length%2 == 1 {
		return append(dst, 1, -1)
	}
	return append(dst, -1, 1)
}
func (March) Encode(dst []float32, s Mile, _ game.Player) { dst[0] = float32(s.At) }
