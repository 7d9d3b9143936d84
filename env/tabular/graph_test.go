package tabular_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"marsgym/env/game"
)

// place is a position of a drawn game: who moves, where to, and at an end what
// each seat gets.
type place struct {
	turn    game.Player
	to      []int
	odds    []int64   // at chance, in proportion
	returns []float64 // at an end
}

// drawn is a game drawn as a graph; position 0 is its start.
type drawn struct {
	players int
	places  []place
	blind   func(mover bool) bool // where not nil, who sees nothing
}

func (g drawn) Spec() game.Spec {
	actions := 1
	for _, x := range g.places {
		actions = max(actions, len(x.to))
	}
	return game.Spec{
		ID: "drawn", Title: "Drawn", Version: 1, Players: g.players, Actions: actions,
		Observation: []game.Field{{Name: "place", Len: 1}, {Name: "seat", Len: 1}}, Unit: "points",
	}
}

func (g drawn) Initial() int                    { return 0 }
func (g drawn) CurrentPlayer(s int) game.Player { return g.places[s].turn }

func (g drawn) Legal(dst []game.Action, s int) []game.Action {
	if g.places[s].turn >= 0 {
		for a := range g.places[s].to {
			dst = append(dst, game.Action(a))
		}
	}
	return dst
}

func (g drawn) Outcomes(dst []game.Outcome[int], s int) []game.Outcome[int] {
	x := g.places[s]
	if x.turn != game.Chance {
		return dst
	}
	sum := int64(0)
	for _, o := range x.odds {
		sum += o
	}
	for k, to := range x.to {
		dst = append(dst, game.Outcome[int]{State: to, Prob: float64(x.odds[k]) / float64(sum)})
	}
	return dst
}

func (g drawn) Apply(s int, a game.Action) (int, error) {
	x := g.places[s]
	switch {
	case x.turn == game.Terminal:
		return s, game.ErrGameOver
	case x.turn == game.Chance || a < 0 || int(a) >= len(x.to):
		return s, game.ErrIllegalAction
	}
	return x.to[a], nil
}

func (g drawn) Returns(dst []float64, s int) []float64 {
	if r := g.places[s].returns; r != nil {
		return append(dst, r...)
	}
	return append(dst, make([]float64, g.players)...)
}

func (g drawn) Encode(dst []float32, s int, p game.Player) {
	dst[0], dst[1] = float32(s), float32(p)
	if g.blind != nil && g.blind(g.CurrentPlayer(s) == p) {
		clear(dst)
	}
}

// end, roll and turn draw positions.
func end(returns ...float64) place { return place{turn: game.Terminal, returns: returns} }

func turn(p game.Player, to ...int) place { return place{turn: p, to: to} }

// roll takes pairs of odds and position.
func roll(pairs ...int) place {
	x := place{turn: game.Chance}
	for k := 0; k < len(pairs); k += 2 {
		x.odds = append(x.odds, int64(pairs[k]))
		x.to = append(x.to, pairs[k+1])
	}
	return x
}

// random draws a game full of cycles, in which every path ends in the long run
// whatever is chosen: all moves lead to a roll that may end the game.
func random(r *rand.Rand, players, n int) drawn {
	g := drawn{players: players}
	for range n {
		x := place{turn: game.Player(r.IntN(players))}
		for range 1 + r.IntN(3) {
			x.to = append(x.to, n+r.IntN(n))
		}
		g.places = append(g.places, x)
	}
	for range n {
		g.places = append(g.places, roll(1+r.IntN(3), 2*n+r.IntN(4), 1+r.IntN(9), r.IntN(n), 1+r.IntN(9), r.IntN(n)))
	}
	for range 4 {
		x := make([]float64, players)
		sum := 0.0
		for p := range x {
			x[p] = float64(r.IntN(9) - 4)
			sum += x[p]
		}
		if players == 2 {
			x[1] = -x[0]
		}
		g.places = append(g.places, end(x...))
	}
	return g
}

// value is the oracle: the expected return of each position to one seat when
// weight gives the probability of each move, by elimination in rationals over
// all positions at once. ok is false if the game may never end.
func (g drawn) value(seat int, weight func(s, k int) *big.Rat) (v []*big.Rat, ok bool) {
	n := len(g.places)
	m := make([][]*big.Rat, n) // of v = Av + b: rows of I-A | b
	for i, x := range g.places {
		m[i] = make([]*big.Rat, n+1)
		for j := range m[i] {
			m[i][j] = new(big.Rat)
		}
		m[i][i].SetInt64(1)
		if x.turn == game.Terminal {
			m[i][n].SetFloat64(x.returns[seat])
			continue
		}
		sum := int64(0)
		for _, o := range x.odds {
			sum += o
		}
		for k, j := range x.to {
			var w *big.Rat
			if x.turn == game.Chance {
				w = big.NewRat(x.odds[k], sum)
			} else {
				w = weight(i, k)
			}
			m[i][j].Sub(m[i][j], w)
		}
	}
	for k := range n {
		pivot := k
		for pivot < n && m[pivot][k].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			return nil, false
		}
		m[k], m[pivot] = m[pivot], m[k]
		inv := new(big.Rat).Inv(m[k][k])
		for c := k; c <= n; c++ {
			m[k][c].Mul(m[k][c], inv)
		}
		for i := range n {
			if i == k || m[i][k].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Set(m[i][k])
			for c := k; c <= n; c++ {
				m[i][c].Sub(m[i][c], new(big.Rat).Mul(f, m[k][c]))
			}
		}
	}
	for i := range n {
		v = append(v, m[i][n])
	}
	return v, true
}

// pure calls f with every way to choose one move in each decision of a seat.
func (g drawn) pure(seat game.Player, f func(choice map[int]int)) {
	var at []int
	for i, x := range g.places {
		if x.turn == seat {
			at = append(at, i)
		}
	}
	choice := make(map[int]int)
	var rec func(k int)
	rec = func(k int) {
		if k == len(at) {
			f(choice)
			return
		}
		for a := range g.places[at[k]].to {
			choice[at[k]] = a
			rec(k + 1)
		}
	}
	rec(0)
}

// probs is a policy given as a function.
type probs func(row []float64, s int)

func (f probs) Probs(dst []float64, states []int) error {
	n := len(dst) / len(states)
	for i, s := range states {
		f(dst[i*n:(i+1)*n], s)
	}
	return nil
}

// uniform plays any move of g.
func (g drawn) uniform() probs {
	return func(row []float64, s int) {
		clear(row)
		for a := range g.places[s].to {
			row[a] = 1 / float64(len(g.places[s].to))
		}
	}
}

// first always plays move k, or the last there is.
func (g drawn) always(k int) probs {
	return func(row []float64, s int) {
		clear(row)
		row[min(k, len(g.places[s].to)-1)] = 1
	}
}

func (g drawn) String() string { return fmt.Sprintf("%+v", g.places) }
