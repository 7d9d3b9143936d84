package env

import (
	"math"

	"marsgym/env/game"
)

// asking is what a guide is asked by the trees of a grove.
type asking struct {
	obs    []float32 // [n, D]
	policy []float32 // [n, K]
	values []float32 // [n, P]
}

// forward asks the guide.
func (g *grove[S]) forward() {
	n, width := len(g.obs)/g.d, g.spec.Actions
	if g.guide.Scores {
		width = 1
	}
	g.policy, g.values = resize(g.policy, n*width), resize(g.values, n*g.spec.Players)
	g.guide.Forward(g.policy, g.values, g.obs)
}

// ofTurns reports whether simulations end where turns begin.
func (x *treeSearch[S]) ofTurns() bool { return x.guide != nil && x.guide.Speaks == OfTurns }

// show asks about s as a seat sees it.
func (g *grove[S]) show(s S, who game.Player) {
	n := len(g.obs)
	g.obs = append(g.obs, make([]float32, g.d)...)
	g.k.rules.Encode(g.obs[n:], s, who)
}

// ask asks the guide about where the simulation stands: a decision with the
// options g.legal, or the start of a turn.
func (t *tree[S]) ask() {
	g := t.g
	t.row = len(g.obs) / g.d
	if t.who == game.Chance {
		g.show(t.at, g.planner.Mover(t.at))
		return
	}
	if !g.guide.Scores || g.guide.Speaks == OfDecisions {
		g.show(t.at, t.who)
	}
	if g.guide.Scores || g.guide.Speaks == OfMoves {
		for _, a := range g.legal {
			g.show(g.k.apply(t.at, a), t.who)
		}
	}
}

// hear takes the answer of the guide. Where its values do not speak of the
// position the simulation goes on.
func (t *tree[S]) hear() {
	g := t.g
	if t.who == game.Chance {
		t.index[t.at] = valued
		t.believe(t.row, g.planner.Mover(t.at))
		t.learn()
		return
	}
	legal := g.options(t.at)
	after := t.row // the row of the first option, if they were asked about
	if !g.guide.Scores || g.guide.Speaks == OfDecisions {
		after++
	}
	edges := t.expand()
	most := float32(math.Inf(-1))
	logit := func(k int) float32 {
		if g.guide.Scores {
			return g.policy[after+k]
		}
		return g.policy[t.row*g.spec.Actions+int(legal[k])]
	}
	for k := range edges {
		most = max(most, logit(k))
	}
	sum := 0.0
	for k := range edges {
		edges[k].prior = math.Exp(float64(logit(k) - most))
		sum += edges[k].prior
	}
	for k := range edges {
		edges[k].prior /= sum
	}
	switch g.guide.Speaks {
	case OfTurns:
		return
	case OfDecisions:
		t.believe(t.row, t.who)
	case OfMoves:
		t.believeBest(after, legal)
	}
	t.stay()
	t.learn()
}

// believe takes the shares of the win that the guide says in a row, seen by a
// viewer.
func (t *tree[S]) believe(row int, viewer game.Player) {
	p := t.g.spec.Players
	for j := range p {
		t.share[(int(viewer)+j)%p] = t.g.spec.WinShare(float64(t.g.values[row*p+j]))
	}
}

// believeBest takes the shares after the option that is worth most to the mover.
func (t *tree[S]) believeBest(row int, legal []game.Action) {
	best := make([]float64, len(t.share))
	for k, a := range legal {
		if s := t.g.k.apply(t.at, a); t.g.k.rules.CurrentPlayer(s) == game.Terminal {
			t.finish(s)
		} else {
			t.believe(row+k, t.who)
		}
		if k == 0 || t.share[t.who] > best[t.who]+game.Tie {
			copy(best, t.share)
		}
	}
	copy(t.share, best)
}
