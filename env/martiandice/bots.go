package martiandice

import (
	"fmt"

	"marsgym/env/game"
)

// greedy maximises the expected score of each turn, which is 3.110 in the published
// game, and ignores the totals. It is the best of the published bots, and not optimal,
// since the totals matter near the end of a game.
type greedy struct {
	r              *Rules
	turn           *turnGraph
	value, rolling []float64
}

func newGreedy(r *Rules, t *turnGraph) *greedy {
	g := &greedy{r, t, make([]float64, t.nodes()), make([]float64, t.live)}
	for k := range t.ends {
		g.value[k] = float64(k)
	}
	t.solve(g.value, g.rolling)
	return g
}

// BotNames implements [game.Presenter].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Presenter].
func (r *Rules) Bot(name string) (game.Policy[State], error) {
	if name != "greedy" {
		return nil, fmt.Errorf("martian-dice has no bot %q; want greedy", name)
	}
	return newGreedy(r, r.graph()), nil
}

// Probs implements [game.Policy].
func (g *greedy) Probs(dst []float64, states []State) error {
	for i, s := range states {
		setCertain(dst[i*int(actions):][:actions], g.r.bestAction(g.turn, g.value, g.rolling, s))
	}
	return nil
}

// setCertain fills a row of probabilities with 1 for a and 0 for all others.
func setCertain(row []float64, a game.Action) {
	clear(row)
	row[a] = 1
}

// bestAction returns the best action in s, the first among ties, given the values of
// the nodes and of rolling on.
func (r *Rules) bestAction(t *turnGraph, value, rolling []float64, s State) game.Action {
	var options [actions]uint16
	n, roll := 0, uint16(0)
	var acts [actions]game.Action
	legal := r.Legal(acts[:0], s)
	if s.Phase == Decide {
		roll = r.nodeOf(t, s.Aside, false)
		stop := value[r.turnPoints(s.Aside)]
		if int(roll) < t.ends || int(roll) >= t.live || stop <= rolling[roll]+game.Tie {
			return Roll
		}
		return Stop
	}
	for _, a := range legal {
		options[n] = r.nodeOf(t, s.asideAfter(a), a == Stop)
		n++
	}
	return legal[bestOption(value, options[:n])]
}
