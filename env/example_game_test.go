package env_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/eval"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// twelve is a game for two with one die. Each seat has one turn, in which it rolls as
// often as it likes and scores the sum, or nothing if the sum exceeds 12. The higher
// score wins; if the scores are equal, the second seat does.
type twelve struct{}

type state struct {
	Score   [2]uint8
	Seat    uint8 // to move; 2 is the end
	Rolling bool
}

const (
	roll game.Action = iota
	stop
)

func (twelve) Spec() game.Spec {
	return game.Spec{
		ID: "twelve", Title: "Twelve", Version: 1, Players: 2, Actions: 2,
		Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 2, MaxPlayers: 2,
		Observation: []game.Field{{Name: "score", Len: 13}, {Name: "other", Len: 13}, {Name: "second", Len: 1}, {Name: "turn", Len: 1}, {Name: "rolling", Len: 1}},
		MoveLimit:   100, Win: 1, Loss: -1,
	}
}

func (twelve) Initial() state { return state{} }

func (twelve) CurrentPlayer(s state) game.Player {
	switch {
	case s.Seat == 2:
		return game.Terminal
	case s.Rolling:
		return game.Chance
	}
	return game.Player(s.Seat)
}

func (t twelve) Legal(dst []game.Action, s state) []game.Action {
	if t.CurrentPlayer(s) < 0 {
		return dst
	}
	return append(dst, roll, stop)
}

func (t twelve) Outcomes(dst []game.Outcome[state], s state) []game.Outcome[state] {
	if t.CurrentPlayer(s) != game.Chance {
		return dst
	}
	bust := 0
	for face := uint8(1); face <= 6; face++ {
		next := s
		next.Rolling = false
		if next.Score[s.Seat] += face; next.Score[s.Seat] > 12 {
			bust++
			continue
		}
		dst = append(dst, game.Outcome[state]{State: next, Prob: 1. / 6})
	}
	if bust > 0 {
		s.Score[s.Seat], s.Rolling = 0, false
		s.Seat++
		dst = append(dst, game.Outcome[state]{State: s, Prob: float64(bust) / 6})
	}
	return dst
}

func (t twelve) Apply(s state, a game.Action) (state, error) {
	switch who := t.CurrentPlayer(s); {
	case who == game.Terminal:
		return s, game.ErrGameOver
	case who == game.Chance || a < roll || a > stop:
		return s, fmt.Errorf("%w: %d", game.ErrIllegalAction, a)
	case a == roll:
		s.Rolling = true
	default:
		s.Seat++
	}
	return s, nil
}

func (twelve) Returns(dst []float64, s state) []float64 {
	switch {
	case s.Seat < 2:
		return append(dst, 0, 0)
	case s.Score[0] > s.Score[1]:
		return append(dst, 1, -1)
	}
	return append(dst, -1, 1)
}

func (twelve) Encode(dst []float32, s state, p game.Player) {
	clear(dst)
	dst[s.Score[p]] = 1
	dst[13+s.Score[1-p]] = 1
	dst[26] = float32(p)
	if s.Seat == uint8(p) {
		dst[27] = 1
	}
	if s.Rolling {
		dst[28] = 1
	}
}

// A whole game: the eight methods of game.Rules, training by PPO, and a match
// against the random bot.
func Example_customGame() {
	ctx := context.Background()
	g := env.NewGame[state](twelve{})

	dir, err := os.MkdirTemp("", "twelve")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cfg := train.DefaultConfig(train.AlgorithmPPO)
	cfg.Steps, cfg.Rows, cfg.Hidden = 400_000, 64, []int{32}
	if _, err := train.Run(ctx, cfg, train.Options{Game: g, Dir: dir, Learner: gorgonia.New, Backend: "gorgonia"}); err != nil {
		log.Fatal(err)
	}

	trained, err := agents.Open(ctx, dir, agents.Options{Game: g})
	if err != nil {
		log.Fatal(err)
	}
	random, err := agents.Open(ctx, "random", agents.Options{Game: g})
	if err != nil {
		log.Fatal(err)
	}
	m, err := eval.PlayDuplicate(ctx, g, []*agents.Agent{trained, random}, 2000, 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("wins %.0f%% of %d games\n", 100*m.Win[0], m.Games)
	// Output: wins 93% of 2000 games
}

func TestCustomGame(t *testing.T) {
	if err := gametest.Check[state](twelve{}); err != nil {
		t.Error(err)
	}
}
