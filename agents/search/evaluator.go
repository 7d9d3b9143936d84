package search

import (
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/elementary"
)

// Evaluator is a network that evaluates leaves. Many goroutines may call it at once.
type Evaluator struct {
	// If ScoresAfterstates, the policy is one number for each afterstate [n]; otherwise
	// one for each action of a decision [n, A].
	ScoresAfterstates bool
	Target            ValueTarget // of the values
	// Forward fills policy and values [n, P], expected returns in the order of play
	// from the viewer, for observations [n, D].
	Forward func(policy, values, obs []float32)
	// ForwardNear, if not nil, is Forward for observations of which those from first[i] on,
	// up to first[i+1], are of one decision and its afterstates, and differ little.
	ForwardNear func(policy, values, obs []float32, first []int)
}

// ValueTarget is the kind of states of which a network's values were trained. Model
// files store it.
type ValueTarget string

// The value targets.
const (
	Decision   ValueTarget = "decision"   // states with a decision, seen by the seat that decides
	Afterstate ValueTarget = "afterstate" // afterstates, seen by the seat that moved
	TurnStart  ValueTarget = "turn_start" // starts of turns, seen by their movers
)

// TargetOf returns the value target of the networks that an algorithm of package train
// trains.
func TargetOf(algorithm string) ValueTarget {
	switch algorithm {
	case "one-ply":
		return Afterstate
	case "turn-exact":
		return TurnStart
	}
	return Decision
}

// evaluation holds the input and output of one call of the evaluator.
type evaluation struct {
	obs    []float32 // [n, D]
	policy []float32 // [n, A] or [n]
	values []float32 // [n, P]
	first  []int     // the first row of each request, and n
}

// forward calls the evaluator.
func (g *trees[S]) forward() {
	n, width := len(g.obs)/g.d, g.spec.Actions
	if g.evaluator.ScoresAfterstates {
		width = 1
	}
	g.policy, g.values = core.Resize(g.policy, n*width), core.Resize(g.values, n*g.spec.Players)
	if g.evaluator.ForwardNear == nil {
		g.evaluator.Forward(g.policy, g.values, g.obs)
		return
	}
	g.first = g.first[:0]
	for _, t := range g.waiting {
		g.first = append(g.first, t.row)
	}
	g.first = append(g.first, n)
	g.evaluator.ForwardNear(g.policy, g.values, g.obs, g.first)
}

// valuesTurns reports whether the values are of starts of turns.
func (x *treeSearch[S]) valuesTurns() bool {
	return x.evaluator != nil && x.evaluator.Target == TurnStart
}

// observe adds the observation of a seat to the batch.
func (g *trees[S]) observe(s S, who game.Player) {
	n := len(g.obs)
	g.obs = slices.Grow(g.obs, g.d)[:n+g.d]
	g.rules.Encode(g.obs[n:], s, who)
}

// request adds the current state of the simulation to the batch: a decision with the legal actions
// g.legal, or the start of a turn.
func (t *tree[S]) request() {
	g := t.g
	t.row = len(g.obs) / g.d
	if t.who == game.Chance {
		mover, _ := g.rules.TurnStart(t.at)
		g.observe(t.at, mover)
		return
	}
	if !g.evaluator.ScoresAfterstates || g.evaluator.Target == Decision {
		g.observe(t.at, t.who)
	}
	if g.evaluator.ScoresAfterstates || g.evaluator.Target == Afterstate {
		for _, a := range g.legal {
			g.observe(g.rules.After(t.at, a), t.who)
		}
	}
}

// receive reads the evaluation of the requested state. If the values are of starts of
// turns, a decision has none, and the simulation continues.
func (t *tree[S]) receive() {
	g := t.g
	if t.who == game.Chance {
		t.index[t.at] = evaluated
		mover, _ := g.rules.TurnStart(t.at)
		t.readShares(t.row, mover)
		t.backUp()
		return
	}
	legal := g.options(t.at)
	after := t.row // the row of the first afterstate, if there are any
	if !g.evaluator.ScoresAfterstates || g.evaluator.Target == Decision {
		after++
	}
	edges := t.expand()
	most := float32(math.Inf(-1))
	logit := func(k int) float32 {
		if g.evaluator.ScoresAfterstates {
			return g.policy[after+k]
		}
		return g.policy[t.row*g.spec.Actions+int(legal[k])]
	}
	for k := range edges {
		most = max(most, logit(k))
	}
	sum := 0.0
	for k := range edges {
		edges[k].prior = elementary.Exp(float64(logit(k) - most))
		sum += edges[k].prior
	}
	for k := range edges {
		edges[k].prior /= sum
	}
	switch g.evaluator.Target {
	case TurnStart:
		return
	case Decision:
		t.readShares(t.row, t.who)
	case Afterstate:
		t.readBest(after, legal)
	}
	t.endPath()
	t.backUp()
}

// readShares sets the shares of the win from a row of values, seen by viewer.
func (t *tree[S]) readShares(row int, viewer game.Player) {
	p := t.g.spec.Players
	game.SeatOrder(t.share, t.g.values[row*p:][:p], viewer)
	for i, r := range t.share {
		t.share[i] = t.g.spec.WinShare(r)
	}
}

// readBest sets the shares of the win after the mover's best option.
func (t *tree[S]) readBest(row int, legal []game.Action) {
	best := make([]float64, len(t.share))
	for k, a := range legal {
		if s := t.g.rules.After(t.at, a); t.g.rules.CurrentPlayer(s) == game.Terminal {
			t.finish(s)
		} else {
			t.readShares(row+k, t.who)
		}
		if k == 0 || t.share[t.who] > best[t.who]+game.Tie {
			copy(best, t.share)
		}
	}
	copy(t.share, best)
}
