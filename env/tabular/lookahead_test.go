package tabular_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// ahead is a look-ahead by plies on values [positions, P].
type ahead struct {
	game   graphGame
	plies  int
	values [][]float64
	asked  map[int]int // how often Values was asked for a position
}

func (a *ahead) Plies() int { return a.plies }
func (a *ahead) Turns() int { return -1 }

func (a *ahead) Values(_ context.Context, dst []float64, states []int) error {
	for i, s := range states {
		copy(dst[i*a.game.players:], a.values[s])
		a.asked[s]++
	}
	return nil
}

func (a *ahead) ProbsContext(_ context.Context, dst []float64, states []int) error {
	return a.Probs(dst, states)
}

func (a *ahead) Probs(dst []float64, states []int) error {
	panic("a policy that looks ahead is asked for a decision")
}

// choices returns the choice in each decision by the definition in [game.Lookahead].
func (a *ahead) choices() map[int]int {
	g := a.game
	n := len(g.positions)
	now := make([][]float64, n)
	for s, x := range g.positions {
		now[s] = make([]float64, g.players)
		if x.mover >= 0 {
			copy(now[s], a.values[s])
		} else if x.mover == game.Terminal {
			copy(now[s], x.returns)
		}
	}
	choice := map[int]int{}
	for k := 0; ; k++ {
		for range 400 { // chance that leads to chance
			for s, x := range g.positions {
				if x.mover != game.Chance {
					continue
				}
				sum, v := int64(0), make([]float64, g.players)
				for _, w := range x.weights {
					sum += w
				}
				for e, to := range x.to {
					for p := range v {
						v[p] += float64(x.weights[e]) / float64(sum) * now[to][p]
					}
				}
				now[s] = v
			}
		}
		next := make([][]float64, n)
		copy(next, now)
		for s, x := range g.positions {
			if x.mover < 0 {
				continue
			}
			best := 0
			for e, to := range x.to {
				if now[to][x.mover] > now[x.to[best]][x.mover]+game.Tie {
					best = e
				}
			}
			choice[s], next[s] = best, now[x.to[best]]
		}
		if k == a.plies {
			return choice
		}
		now = next
	}
}

// TestLookahead: the values backed up over the table give the choices of the definition, also
// where chance leads to chance.
func TestLookahead(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		players := 1 + r.IntN(3)
		g := random(r, players, 8)
		for s, x := range g.positions {
			if x.mover == game.Chance { // 8 to 15
				g.positions[s].to[1+r.IntN(2)] = 8 + r.IntN(8)
			}
		}
		a := &ahead{game: g, plies: r.IntN(4), asked: map[int]int{}}
		for range g.positions {
			v := make([]float64, players)
			for p := range v {
				v[p] = float64(r.IntN(4)) // many options are equal
			}
			a.values = append(a.values, v)
		}
		choice := a.choices()
		sol, err := tabular.Solve(ctx, g, tabular.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fast := tabulate[int](t, sol, a)
		slow := tabulate(t, sol, probs(func(row []float64, s int) {
			clear(row)
			row[choice[s]] = 1
		}))
		uniform := tabulate(t, sol, g.uniform())
		for seat := range players {
			var got, want []float64
			for _, own := range []game.TabularPolicy{fast, slow} {
				seats := []game.TabularPolicy{uniform, uniform, uniform}[:players]
				seats[seat] = own
				v, err := sol.Evaluate(ctx, nil, seats)
				if err != nil {
					t.Fatal(err)
				}
				got, want = want, v
			}
			if !near(got, want, 1e-12) {
				t.Errorf("%d plies of seat %d win %v; by the definition %v, in %v", a.plies, seat, got, want, g)
			}
		}
		if fast.Decisions() != slow.Decisions() {
			t.Errorf("%d decisions; by the definition %d", fast.Decisions(), slow.Decisions())
		}
		for s, n := range a.asked {
			if n != 1 {
				t.Errorf("the values of position %d are asked %d times", s, n)
			}
		}
		if fast.Rows() != len(a.asked) {
			t.Errorf("%d rows; %d positions are asked", fast.Rows(), len(a.asked))
		}
	}
}

// TestTabulateReachable: a policy is asked where its seat can come if the others play anything,
// and nowhere else.
func TestTabulateReachable(t *testing.T) {
	// Seat 0 never goes to 2, and seat 1 never from 1 to 4.
	g := graphGame{players: 2, positions: []position{
		decide(0, 1, 2), decide(1, 3, 4), decide(0, 6, 5), decide(0, 5, 6), decide(0, 6, 5), end(1, -1), end(-1, 1),
	}}
	asked := map[int]int{}
	sol := solve(t, g)
	first := tabulate(t, sol, probs(func(row []float64, s int) {
		asked[s]++
		clear(row)
		row[0] = 1
	}))
	// 4 matters to seat 0, since another seat 1 may go there.
	for s, want := range []int{1, 1, 0, 1, 1, 0, 0} {
		if asked[s] != want {
			t.Errorf("the policy is asked %d times in position %d; want %d", asked[s], s, want)
		}
	}
	if first.Decisions() != 4 || first.Rows() != 4 {
		t.Errorf("%d decisions in %d rows; want 4 in 4", first.Decisions(), first.Rows())
	}
	last := tabulate(t, sol, g.always(1))
	for _, x := range []struct {
		seats []game.TabularPolicy
		want  float64 // of seat 0
	}{
		{[]game.TabularPolicy{first, first}, 1}, {[]game.TabularPolicy{first, last}, -1},
		{[]game.TabularPolicy{last, first}, 1}, {[]game.TabularPolicy{last, last}, 1},
	} {
		if got, err := sol.Evaluate(ctx, nil, x.seats); err != nil || got[0] != x.want {
			t.Errorf("values %v, %v; want %v", got, err, x.want)
		}
	}
}
