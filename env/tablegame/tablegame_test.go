package tablegame_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/pig"
	"marsgym/env/tablegame"
	"marsgym/env/tabular"
	"marsgym/internal/test/testgames"
)

// listed returns the rules of a table.
func listed(t testing.TB, table *tablegame.Table) *tablegame.Rules {
	t.Helper()
	r, err := tablegame.New(table)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tables are games with and without chance, cycles, observations of each kind, texts, and for one seat
// to three.
func tables(t testing.TB) map[string]*tablegame.Table {
	blind := testgames.TicTacToe() // without observations
	blind.Observation = tablegame.Observation{}
	return map[string]*tablegame.Table{
		"tic-tac-toe":         testgames.TicTacToe(),
		"one-hot":             blind,
		"pig":                 testgames.List("pig", testgames.NewPig(t, 2, 10), true),
		"pig for three":       testgames.List("pig3", testgames.NewPig(t, 3, 7), true),
		"pig, digits":         testgames.List("pig", testgames.NewPig(t, 2, 40), false),
		"pig, one-hot, three": testgames.List("pig", testgames.NewPig(t, 3, 5), false),
	}
}

// TestCheck: every table keeps the contract of games.
func TestCheck(t *testing.T) {
	for name, table := range tables(t) {
		t.Run(name, func(t *testing.T) {
			if err := gametest.Check(listed(t, table)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFile: a table is read as it was written, with the same digest.
func TestFile(t *testing.T) {
	for name, table := range tables(t) {
		t.Run(name, func(t *testing.T) {
			r := listed(t, table)
			path := filepath.Join(t.TempDir(), "x.game")
			if err := r.Save(path); err != nil {
				t.Fatal(err)
			}
			back, err := tablegame.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back.Table(), table) || !reflect.DeepEqual(back.Spec(), r.Spec()) || back.Digest() != r.Digest() {
				t.Errorf("%+v became %+v", r.Spec(), back.Spec())
			}
		})
	}
}

// TestPig: the table of Pig has the values of Pig in every position.
func TestPig(t *testing.T) {
	rules := testgames.NewPig(t, 2, 20)
	want, err := tabular.Solve(context.Background(), rules, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := listed(t, testgames.List("pig", rules, true))
	got, err := r.Solve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	type pair struct {
		s  pig.State
		at tablegame.State
	}
	seen := map[pig.State]bool{}
	for todo := []pair{{rules.Initial(), r.Initial()}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[p.s] {
			continue
		}
		seen[p.s] = true
		w, err := want.Value(nil, p.s)
		if err != nil {
			t.Fatal(err)
		}
		g, err := got.Value(nil, p.at)
		if err != nil {
			t.Fatal(err)
		}
		for seat := range w {
			if !(math.Abs(w[seat]-g[seat]) <= game.Tie) {
				t.Fatalf("%+v is worth %v; want %v", p.s, g, w)
			}
		}
		for _, a := range rules.Legal(nil, p.s) {
			s, _ := rules.Apply(p.s, a)
			at, err := r.Apply(p.at, a)
			if err != nil {
				t.Fatal(err)
			}
			todo = append(todo, pair{s, at})
		}
		outcomes := r.Outcomes(nil, p.at)
		for k, o := range rules.Outcomes(nil, p.s) {
			todo = append(todo, pair{o.State, outcomes[k].State})
		}
	}
	if len(seen) != len(r.Table().Mover) {
		t.Errorf("%d positions; want %d", len(seen), len(r.Table().Mover))
	}
}

// TestShow: batches show numbers and masks of any length as the table has them, in each row.
func TestShow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range []int{1, 7, 8, 27, 31, 32, 33, 63, 64, 65, 127, 130} {
		for _, seats := range []int{1, 2} {
			x := large(300)
			x.Actions = 4 + d
			o := &x.Observation
			o.Seats, o.Len = seats, d
			for range len(x.Mover) * seats * d {
				o.Bytes = append(o.Bytes, byte(r.IntN(2)))
			}
			rules := listed(t, x)
			for n := range 40 {
				states, players := make([]tablegame.State, n+1), make([]game.Player, n+1)
				for i := range states {
					for players[i] = -1; players[i] < 0; players[i] = x.Mover[states[i].At] {
						states[i].At = r.Uint32N(300)
					}
				}
				obs, mask := make([]float32, len(states)*d), make([]bool, len(states)*x.Actions)
				for i := range mask {
					mask[i] = r.IntN(2) > 0
				}
				rules.NewRows(len(states)).Show(states, players, nil, nil, obs, mask)
				for i, s := range states {
					row := (int(s.At)*seats + int(players[i])%seats) * d
					for k, want := range o.Bytes[row : row+d] {
						if got := obs[i*d+k]; got != float32(want) {
							t.Fatalf("number %d of %d in row %d of %d is %v; want %v", k, d, i, n+1, got, want)
						}
					}
					legal := rules.Legal(nil, s)
					for a, got := range mask[i*x.Actions:][:x.Actions] {
						if want := slices.Contains(legal, game.Action(a)); got != want {
							t.Fatalf("action %d of %d in row %d of %d is %v; want %v", a, x.Actions, i, n+1, got, want)
						}
					}
				}
			}
		}
	}
}
