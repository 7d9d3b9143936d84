package pig_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/kernel/simd/simdtest"
)

// TestRowsFollowRules plays batches of 1 to 100 rows, with every set of kernels, beside the rules,
// from random scores. What is beyond the rows of a batch stays as it is.
func TestRowsFollowRules(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		games, want := 0, 50_000
		for _, cfg := range []pig.Config{{Players: 2, Target: 100}, {Players: 2, Target: 2}, {Players: 2, Target: 250}, {Players: 3, Target: 40}, {Players: 8, Target: 20}, {Players: 9, Target: 20}, {Players: 10, Target: 250}} {
			r, err := pig.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= 100; n++ {
				if testing.Short() && n > 9 && n < 98 {
					want = 5000
					continue
				}
				games += playBeside(t, r, n)
			}
		}
		if games < want {
			t.Errorf("%d games, want %d", games, want)
		}
	})
}

// playBeside plays n rows by [game.Rows] and by the rules, and returns how many games ended.
func playBeside(t *testing.T, r *pig.Rules, n int) (games int) {
	const beyond = 4 // rows
	spec := r.Spec()
	d, a := spec.ObsLen(), spec.Actions
	rows, choose := r.NewRows(n), rand.New(rand.NewPCG(uint64(spec.Players), uint64(n)))
	states, players, actions := make([]pig.State, n+beyond), make([]game.Player, n+beyond), make([]game.Action, n)
	obs, mask, dice := make([]float32, (n+beyond)*d), make([]bool, (n+beyond)*a), make([]rand.PCG, n+1+beyond)
	start := func(i int) {
		states[i], players[i] = pig.State{}, 0
		for seat := range spec.Players {
			states[i].Score[seat] = uint8(choose.IntN(spec.Config.(pig.Config).Target))
		}
	}
	for i := range n {
		start(i)
	}
	for i := range dice {
		dice[i] = *rand.NewPCG(7, uint64(i))
	}
	want := slices.Clone(obs)
	for range 60 {
		rows.Show(states[:n], players[:n], states[:n], nil, obs[:n*d], mask[:n*a])
		legal := make([]bool, len(mask))
		for i, s := range states[:n] {
			r.Encode(want[i*d:(i+1)*d], s, players[i])
			for _, move := range r.Legal(nil, s) {
				legal[i*a+int(move)] = true
			}
			actions[i] = pig.Roll
			if legal[i*a+int(pig.Hold)] && choose.IntN(3) == 0 {
				actions[i] = pig.Hold
			}
		}
		if !slices.Equal(obs, want) || !slices.Equal(mask, legal) {
			t.Fatalf("%d rows of %+v: %v shown as %v, %v; want %v, %v", n, spec.Config, states, obs, mask, want, legal)
		}
		next, after, who := slices.Clone(states), slices.Clone(dice), slices.Clone(players)
		for i := range n {
			s, err := r.Apply(states[i], actions[i])
			if err != nil {
				t.Fatal(err)
			}
			if r.CurrentPlayer(s) == game.Chance {
				s = r.Sample(s, &after[i])
			}
			next[i], who[i] = s, r.CurrentPlayer(s)
		}
		refuse(t, r, rows, states, dice, players, actions, choose)
		if at := rows.Step(states[:n], actions, dice[:n+1], players[:n]); at != -1 {
			t.Fatalf("row %d of %+v: action %d is illegal in %+v", at, spec.Config, actions[at], states[at])
		}
		after[n] = dice[n] // free for use
		if !slices.Equal(states, next) || !slices.Equal(dice, after) || !slices.Equal(players, who) {
			t.Fatalf("%d rows of %+v after %v: %v, %v; want %v, %v", n, spec.Config, actions, states, players, next, who)
		}
		for i := range n {
			if who[i] == game.Terminal {
				start(i)
				games++
			}
		}
	}
	return games
}

// refuse checks that a step with an illegal action names its row and changes nothing.
func refuse(t *testing.T, r *pig.Rules, rows game.Rows[pig.State, float32], states []pig.State, dice []rand.PCG, players []game.Player, actions []game.Action, choose *rand.Rand) {
	n := len(actions)
	bad, at := slices.Clone(actions), choose.IntN(n)
	bad[at] = []game.Action{2, -1, 1 << 30, -1 << 31}[choose.IntN(4)]
	if states[at].Total == 0 && choose.IntN(2) == 0 {
		bad[at] = pig.Hold
	}
	s, d, p := slices.Clone(states), slices.Clone(dice), slices.Clone(players)
	if got := rows.Step(states[:n], bad, dice[:n+1], players[:n]); got != at {
		t.Fatalf("Step refuses row %d; want row %d, with action %d", got, at, bad[at])
	}
	if !slices.Equal(states, s) || !slices.Equal(dice, d) || !slices.Equal(players, p) {
		t.Fatal("a refused step has changed something")
	}
}
