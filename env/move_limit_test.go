package env_test

import (
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/expert"
)

// choose returns the legal action of decision n of a game, such that games end.
func choose(legal []game.Action, n int) game.Action { return legal[n*n%len(legal)] }

// playBatch plays a game in a batch of one row. It returns how many decisions it takes, and
// whether it is truncated.
func playBatch(t *testing.T, b env.Batch) (n int, truncated bool) {
	t.Helper()
	b.Reset(1)
	for buf := b.Buffers(); ; {
		var legal []game.Action
		for a, ok := range buf.Mask {
			if ok {
				legal = append(legal, game.Action(a))
			}
		}
		buf.Action[0] = choose(legal, n)
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		n++
		if buf.Terminated[0] && buf.Truncated[0] {
			t.Fatalf("decision %d both terminates and truncates the game", n)
		}
		if buf.Terminated[0] || buf.Truncated[0] {
			return n, buf.Truncated[0]
		}
	}
}

// playSession is playBatch in a session.
func playSession(t *testing.T, g env.Game) (n int, truncated bool) {
	t.Helper()
	s := env.NewSession(g)
	s.Seed(1)
	s.Next()
	for ; !s.Over(); s.Settle() {
		if err := s.Apply(choose(s.Position().Legal(), n)); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n, s.AtLimit()
}

// TestMoveLimit: batches and sessions truncate a game that takes one decision more than the move
// limit, and no shorter one, whatever chance follows its last decision.
func TestMoveLimit(t *testing.T) {
	for name, play := range map[string]func(limit int) (int, bool){
		"rows at once": func(limit int) (int, bool) {
			return playBatch(t, env.NewVec(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 10), Moves: limit}, 1, 0))
		},
		"row by row": func(limit int) (int, bool) {
			rules := testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 10), Moves: limit}
			return playBatch(t, env.NewVec[pig.State](testgames.PlainPig{Rules: rules}, 1, 0))
		},
		"session": func(limit int) (int, bool) {
			return playSession(t, env.NewGame(testgames.LimitedMartianDice{Rules: testgames.NewMartianDice(t, 2, 5, 4), Moves: limit}))
		},
		"chance at the end, batch": func(limit int) (int, bool) {
			return playBatch(t, env.NewVec(testgames.March{Length: 7, Moves: limit, Chance: true}, 1, 0))
		},
		"chance at the end, session": func(limit int) (int, bool) {
			return playSession(t, env.NewGame(testgames.March{Length: 7, Moves: limit, Chance: true}))
		},
	} {
		length, truncated := play(0)
		if length < 3 || length > 300 || truncated {
			t.Fatalf("%s: a game of %d decisions without a limit, truncated: %v", name, length, truncated)
		}
		for limit := length - 1; limit <= length+1; limit++ {
			if n, truncated := play(limit); n != min(limit, length) || truncated != (limit < length) {
				t.Errorf("%s: a game of %d decisions ends after %d with a limit of %d, truncated: %v", name, length, n, limit, truncated)
			}
		}
	}
}

// TestExpertMoveLimit: an expert ends a game at its limit. Only games that the rules end give
// values to forced decisions.
func TestExpertMoveLimit(t *testing.T) {
	const limit = 7
	for length := limit - 1; length <= limit+1; length++ {
		x, err := expert.New(expert.NewGame(testgames.March{Length: length, Moves: limit, Chance: true}), expert.Config{
			Depth: expert.Search, Turns: 1, Decisions: min(length, limit), Tree: expert.Tree{Simulations: 4, FullFraction: 1, Candidates: 2},
		}, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		x.Reset(1)
		found := make([]expert.Targets, 1)
		if err := x.Search(t.Context(), found, expert.Options{Lambda: 1, Temperature: 1}, func(_, values []float32, _ *models.Observations) { clear(values) }); err != nil {
			t.Fatal(err)
		}
		var want []float32
		for i := range min(length, limit) {
			if length <= limit {
				won := float32(2*((length-i)%2) - 1) // who makes the last step is to move at this one and each second one
				want = append(want, won, -won)
			}
		}
		if f := found[0]; f.Games != 1 || !slices.Equal(f.Value, want) {
			t.Errorf("%d decisions with a limit of %d: %d games and values %v; want 1 and %v", length, limit, f.Games, f.Value, want)
		}
	}
}
