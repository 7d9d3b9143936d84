package gametest_test

import (
	"math/rand/v2"

	"marsgym/env/game"
)

// cupRows plays the rows of cups one by one. Every method is a function that a test
// may replace.
type cupRows struct {
	relabel [][]game.Action // of the last show
	step    func(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int
	show    func(states []state, players []game.Player, shown []state, relabel [][]game.Action, obs []float32, mask []bool)
}

func (r *cupRows) Step(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	return r.step(states, actions, dice, players)
}

func (r *cupRows) Show(states []state, players []game.Player, shown []state, relabel [][]game.Action, obs []float32, mask []bool) {
	r.show(states, players, shown, relabel, obs, mask)
}

// newCupRows satisfies the contract.
func newCupRows(g *cups) *cupRows {
	r := &cupRows{}
	r.step = func(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int {
		next := make([]state, len(states))
		for i, s := range states {
			a := actions[i]
			if label := r.relabel[i]; label != nil && uint(a) < uint(len(label)) {
				a = label[a]
			}
			var err error
			if next[i], err = g.apply(s, a); err != nil {
				return i
			}
		}
		for i, s := range next {
			for g.currentPlayer(s) == game.Chance {
				s = g.sample(s, &dice[i])
			}
			states[i], players[i] = s, g.currentPlayer(s)
		}
		return -1
	}
	r.show = func(states []state, players []game.Player, shown []state, relabel [][]game.Action, obs []float32, mask []bool) {
		d, n := len(obs)/len(states), len(mask)/len(states)
		r.relabel = relabel
		clear(mask)
		for i, s := range states {
			shown[i], relabel[i] = g.canonical(s)
			g.encode(obs[i*d:][:d], shown[i], players[i])
			for _, a := range g.legal(nil, shown[i]) {
				mask[i*n+int(a)] = true
			}
		}
	}
	return r
}

// breakRows changes the rows of g.
func breakRows(g *cups, change func(r *cupRows)) {
	newRows := g.newRows
	g.newRows = func(n int) game.Rows[state, float32] {
		r := newRows(n).(*cupRows)
		change(r)
		return r
	}
}

// afterStep calls f after a step of all rows.
func afterStep(g *cups, f func(states []state, dice []rand.PCG, players []game.Player)) {
	breakRows(g, func(r *cupRows) {
		step := r.step
		r.step = func(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int {
			i := step(states, actions, dice, players)
			if i < 0 {
				f(states, dice, players)
			}
			return i
		}
	})
}

// afterShow calls f after all rows are shown.
func afterShow(g *cups, f func(shown []state, relabel [][]game.Action, obs []float32, mask []bool)) {
	breakRows(g, func(r *cupRows) {
		show := r.show
		r.show = func(states []state, players []game.Player, shown []state, relabel [][]game.Action, obs []float32, mask []bool) {
			show(states, players, shown, relabel, obs, mask)
			f(shown, relabel, obs, mask)
		}
	})
}

// brokenRows break a clause about rows.
var brokenRows = []breach{
	{"Rows does not panic", func(g *cups) { g.newRows = func(int) game.Rows[state, float32] { panic("oh") } }},
	{"Rows.Step refuses an illegal action", func(g *cups) {
		breakRows(g, func(r *cupRows) {
			step := r.step
			r.step = func(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int {
				return min(step(states, actions, dice, players), 0)
			}
		})
	}},
	{"Rows.Step changes nothing on an illegal action", func(g *cups) {
		breakRows(g, func(r *cupRows) {
			step := r.step
			r.step = func(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int {
				i := step(states, actions, dice, players)
				if i >= 0 {
					dice[0].Uint64()
				}
				return i
			}
		})
	}},
	{"Rows.Step plays legal actions", func(g *cups) {
		breakRows(g, func(r *cupRows) {
			step := r.step
			r.step = func(states []state, actions []game.Action, dice []rand.PCG, players []game.Player) int {
				if states[5].Turns == 3 {
					return 5
				}
				return step(states, actions, dice, players)
			}
		})
	}},
	{"Rows.Step is Apply and Sample of each row", func(g *cups) {
		afterStep(g, func(states []state, _ []rand.PCG, _ []game.Player) { states[66].Score[0]++ })
	}},
	{"Rows.Step is Apply and Sample of each row", func(g *cups) {
		afterStep(g, func(_ []state, dice []rand.PCG, _ []game.Player) { dice[66].Uint64() })
	}},
	{"Rows.Step is Apply and Sample of each row", func(g *cups) {
		afterStep(g, func(_ []state, _ []rand.PCG, players []game.Player) { players[66] ^= 1 })
	}},
	{"Rows.Show gives Canonical of each row", func(g *cups) {
		afterShow(g, func(shown []state, _ [][]game.Action, _ []float32, _ []bool) { shown[66].Turns++ })
	}},
	{"Rows.Show gives Canonical of each row", func(g *cups) {
		afterShow(g, func(_ []state, relabel [][]game.Action, _ []float32, _ []bool) { clear(relabel) })
	}},
	{"Rows.Show gives Encode of each row", func(g *cups) {
		afterShow(g, func(_ []state, _ [][]game.Action, obs []float32, _ []bool) { obs[len(obs)-1]++ })
	}},
	{"Rows.Show gives Legal of each row", func(g *cups) {
		afterShow(g, func(_ []state, _ [][]game.Action, _ []float32, mask []bool) { mask[len(mask)-1] = false })
	}},
}
