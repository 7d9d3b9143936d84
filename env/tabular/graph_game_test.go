package tabular_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"marsgym/env/game"
)

// position is a position of a graphGame.
type position struct {
	mover   game.Player
	to      []int
	weights []int64   // at chance, in proportion to the probabilities
	returns []float64 // at an end
}

// graphGame is a game given as a graph. Position 0 is the initial one.
type graphGame struct {
	players   int
	positions []position
	hidden    func(mover bool) bool // if not nil, whether an observation is all zeros
}

func (g graphGame) Spec() game.Spec {
	actions := 1
	for _, x := range g.positions {
		actions = max(actions, len(x.to))
	}
	return game.Spec{
		ID: "graph", Title: "Graph", Version: 1, Players: g.players, Actions: actions,
		Observation: []game.Field{{Name: "place", Len: 1}, {Name: "seat", Len: 1}}, Unit: "points",
	}
}

func (g graphGame) Initial() int                    { return 0 }
func (g graphGame) CurrentPlayer(s int) game.Player { return g.positions[s].mover }

func (g graphGame) Legal(dst []game.Action, s int) []game.Action {
	if g.positions[s].mover >= 0 {
		for a := range g.positions[s].to {
			dst = append(dst, game.Action(a))
		}
	}
	return dst
}

func (g graphGame) Outcomes(dst []game.Outcome[int], s int) []game.Outcome[int] {
	x := g.positions[s]
	if x.mover != game.Chance {
		return dst
	}
	sum := int64(0)
	for _, o := range x.weights {
		sum += o
	}
	for k, to := range x.to {
		dst = append(dst, game.Outcome[int]{State: to, Prob: float64(x.weights[k]) / float64(sum)})
	}
	return dst
}

func (g graphGame) Apply(s int, a game.Action) (int, error) {
	x := g.positions[s]
	switch {
	case x.mover == game.Terminal:
		return s, game.ErrGameOver
	case x.mover == game.Chance || a < 0 || int(a) >= len(x.to):
		return s, game.ErrIllegalAction
	}
	return x.to[a], nil
}

func (g graphGame) Returns(dst []float64, s int) []float64 {
	if r := g.positions[s].returns; r != nil {
		return append(dst, r...)
	}
	return append(dst, make([]float64, g.players)...)
}

func (g graphGame) Encode(dst []float32, s int, p game.Player) {
	dst[0], dst[1] = float32(s), float32(p)
	if g.hidden != nil && g.hidden(g.CurrentPlayer(s) == p) {
		clear(dst)
	}
}

// end, decide and roll return positions.
func end(returns ...float64) position { return position{mover: game.Terminal, returns: returns} }

func decide(p game.Player, to ...int) position { return position{mover: p, to: to} }

// roll takes pairs of a weight and a position.
func roll(pairs ...int) position {
	x := position{mover: game.Chance}
	for k := 0; k < len(pairs); k += 2 {
		x.weights = append(x.weights, int64(pairs[k]))
		x.to = append(x.to, pairs[k+1])
	}
	return x
}

// random returns a random game full of cycles, which ends with probability 1 under all
// policies: every move leads to a roll that may end the game.
func random(r *rand.Rand, players, n int) graphGame {
	g := graphGame{players: players}
	for range n {
		x := position{mover: game.Player(r.IntN(players))}
		for range 1 + r.IntN(3) {
			x.to = append(x.to, n+r.IntN(n))
		}
		g.positions = append(g.positions, x)
	}
	for range n {
		g.positions = append(g.positions, roll(1+r.IntN(3), 2*n+r.IntN(4), 1+r.IntN(9), r.IntN(n), 1+r.IntN(9), r.IntN(n)))
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
		g.positions = append(g.positions, end(x...))
	}
	return g
}

// value is the oracle: it returns the expected return of each position to one seat, by
// elimination in rationals over all positions at once. weight returns the probability
// of each move. ok is false if the game may never end.
func (g graphGame) value(seat int, weight func(s, k int) *big.Rat) (v []*big.Rat, ok bool) {
	n := len(g.positions)
	m := make([][]*big.Rat, n) // of v = Av + b: rows of I-A | b
	for i, x := range g.positions {
		m[i] = make([]*big.Rat, n+1)
		for j := range m[i] {
			m[i][j] = new(big.Rat)
		}
		m[i][i].SetInt64(1)
		if x.mover == game.Terminal {
			m[i][n].SetFloat64(x.returns[seat])
			continue
		}
		sum := int64(0)
		for _, o := range x.weights {
			sum += o
		}
		for k, j := range x.to {
			var w *big.Rat
			if x.mover == game.Chance {
				w = big.NewRat(x.weights[k], sum)
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

// pure calls f with every pure policy of a seat: the move in each of its decisions.
func (g graphGame) pure(seat game.Player, f func(choice map[int]int)) {
	var at []int
	for i, x := range g.positions {
		if x.mover == seat {
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
		for a := range g.positions[at[k]].to {
			choice[at[k]] = a
			rec(k + 1)
		}
	}
	rec(0)
}

// probs is a policy given by a function.
type probs func(row []float64, s int)

func (f probs) Probs(dst []float64, states []int) error {
	n := len(dst) / len(states)
	for i, s := range states {
		f(dst[i*n:(i+1)*n], s)
	}
	return nil
}

// uniform returns the policy that plays every move with the same probability.
func (g graphGame) uniform() probs {
	return func(row []float64, s int) {
		clear(row)
		for a := range g.positions[s].to {
			row[a] = 1 / float64(len(g.positions[s].to))
		}
	}
}

// always returns the policy that plays move k, or the last move if there are fewer.
func (g graphGame) always(k int) probs {
	return func(row []float64, s int) {
		clear(row)
		row[min(k, len(g.positions[s].to)-1)] = 1
	}
}

func (g graphGame) String() string { return fmt.Sprintf("%+v", g.positions) }
