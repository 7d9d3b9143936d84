package martiandice

import "marsgym/env/game"

// greedy maximises the expected score of each turn, which is 3.110 in the published
// game, and ignores the totals. It is the best of the published bots, and not optimal,
// since the totals matter near the end of a game.
type greedy struct {
	r    *Rules
	turn *turnGraph
	turnValues
}

func newGreedy(r *Rules, t *turnGraph) *greedy {
	g := &greedy{r, t, t.newValues()}
	for k := range t.ends {
		g.value[k] = float64(k)
	}
	t.solve(g.value, g.rolling)
	return g
}

// BotNames implements [game.Bots].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Bots].
func (r *Rules) Bot(string) (game.Policy[State], error) {
	return newGreedy(r, r.graph()), nil
}

// Probs implements [game.Policy].
func (g *greedy) Probs(dst []float64, states []State) error {
	clear(dst)
	for i, s := range states {
		dst[i*int(actions)+int(g.r.bestAction(g.turn, g.turnValues, s))] = 1
	}
	return nil
}

// bestAction returns the best action in s, the first among ties.
func (r *Rules) bestAction(t *turnGraph, by turnValues, s State) game.Action {
	var acts [actions]game.Action
	var options [actions]float64
	legal := r.Legal(acts[:0], s)
	return legal[game.BestOption(r.options(options[:0], t, by, s, legal))]
}

// options appends the values of the legal actions in s to the mover.
func (r *Rules) options(dst []float64, t *turnGraph, by turnValues, s State, legal []game.Action) []float64 {
	if s.Phase == Decide {
		roll, node := by.value[0], int(r.nodeOf(t, s.Aside, false))
		if node >= t.ends && node < t.live {
			roll = by.rolling[node]
		}
		return append(dst, roll, by.value[r.turnPoints(s.Aside)])
	}
	for _, a := range legal {
		dst = append(dst, by.value[r.nodeOf(t, s.asideAfter(a), a == Stop)])
	}
	return dst
}
