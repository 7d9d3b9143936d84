package search

import (
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/parallel"
	"marsgym/models"
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

// TargetOf returns the value target of a network that an algorithm of an older release has
// trained, whose file does not name it.
func TargetOf(algorithm string) ValueTarget {
	switch algorithm {
	case "one-ply":
		return Afterstate
	case "turn-exact":
		return TurnStart
	}
	return Decision
}

// forward calls the evaluator for the observations of the waiting trees.
func (g *Trees[S]) forward() {
	n, width := len(g.obs)/g.d, g.width()
	g.policy, g.values = core.Resize(g.policy, n*width), core.Resize(g.values, n*g.spec.Players)
	g.first = g.first[:0]
	for _, t := range g.waiting {
		for _, r := range t.requests {
			g.first = append(g.first, r.row)
		}
	}
	g.first = append(g.first, n)
	requests := len(g.first) - 1
	if !g.few {
		g.forwardSome(0, requests)
		return
	}
	parallel.For(requests, g.portion(requests), g.forwardSome)
}

// width returns how many numbers of the policy an observation has.
func (g *Trees[S]) width() int {
	if g.evaluator.ScoresAfterstates {
		return 1
	}
	return g.spec.Actions
}

// forwardSome calls the evaluator for the requests from <= i < to of the waiting trees.
func (g *Trees[S]) forwardSome(from, to int) {
	lo, hi, width, p := g.first[from], g.first[to], g.width(), g.spec.Players
	policy, values, obs := g.policy[lo*width:hi*width], g.values[lo*p:hi*p], g.obs[lo*g.d:hi*g.d]
	if g.evaluator.ForwardNear == nil {
		g.evaluator.Forward(policy, values, obs)
		return
	}
	first := g.first
	if from > 0 || to < len(first)-1 {
		first = slices.Clone(first[from : to+1])
		for i := range first {
			first[i] -= lo
		}
	}
	g.evaluator.ForwardNear(policy, values, obs, first)
}

// valuesTurns reports whether the values are of starts of turns.
func (x *setup[S]) valuesTurns() bool {
	return x.evaluator != nil && x.evaluator.Target == TurnStart
}

// request is what a tree waits for: the evaluation of a node, or if node is noNode of the
// start of a turn t.at.
type request struct {
	node int32
	row  int // of its first observation
}

// request adds a request, unless this round has it, and lets the simulation wait for it.
func (t *tree[S]) request(k int32) {
	if t.g.evaluator == nil {
		t.simulations = append(t.simulations, simulation{int32(t.from), t.rollOut(k)})
		return
	}
	r := int32(len(t.requests))
	if k != noNode && t.nodes[k].request >= 0 {
		r = t.nodes[k].request
	} else {
		if k != noNode {
			t.nodes[k].request = r
		}
		t.requests = append(t.requests, request{k, len(t.g.obs) / t.g.d})
		t.observe(k)
	}
	t.simulations = append(t.simulations, simulation{int32(t.from), r})
}

// observe adds what the evaluator must see of a node, or of the state without one, to the
// batch.
func (t *tree[S]) observe(k int32) {
	g := t.g
	add := func(s S, who game.Player) {
		n := len(g.obs)
		g.obs = slices.Grow(g.obs, g.d)[:n+g.d]
		g.rules.Encode(g.obs[n:], s, who)
	}
	if k == noNode {
		mover, _ := g.rules.TurnStart(t.at)
		add(t.at, mover)
		return
	}
	n := &t.nodes[k]
	if !g.evaluator.ScoresAfterstates || g.evaluator.Target == Decision {
		add(n.state, n.mover)
	}
	if g.evaluator.ScoresAfterstates || g.evaluator.Target == Afterstate {
		for _, e := range t.edgesOf(n) {
			add(g.rules.After(n.state, e.action), n.mover)
		}
	}
}

// receive reads the evaluations of the requests, and ends the simulations that wait for
// them. If the values are of starts of turns, a decision has none, and the simulation goes
// on from there.
func (t *tree[S]) receive() {
	g, p := t.g, t.g.spec.Players
	t.values = core.Resize(t.values, len(t.requests)*p)
	for i, r := range t.requests {
		if r.node == noNode {
			t.index[t.at] = evaluated
			mover, _ := g.rules.TurnStart(t.at)
			t.readShares(r.row, mover)
		} else {
			n := &t.nodes[r.node]
			after := r.row // the row of the first afterstate, if there are any
			if !g.evaluator.ScoresAfterstates || g.evaluator.Target == Decision {
				after++
			}
			t.setPriors(n, r.row, after)
			switch g.evaluator.Target {
			case TurnStart:
				t.resumed = r.node
				return
			case Decision:
				t.readShares(r.row, n.mover)
			case Afterstate:
				t.readBest(n, after)
			}
			n.visits++
			n.sum += t.share[n.mover]
			if r.node == 0 && t.gumbel != nil {
				t.gumbel.begin(t.edgesOf(n), n.mover, g.policy[r.row*g.spec.Actions:], t.share)
				t.simulations = t.simulations[:0] // it is none
			}
		}
		copy(t.values[i*p:], t.share)
	}
	for i, s := range t.simulations {
		t.backUp(t.pathOf(i), t.values[int(s.request)*p:][:p])
	}
}

// pathOf returns the path of one of the simulations that wait.
func (t *tree[S]) pathOf(i int) []step {
	to := len(t.path)
	if i+1 < len(t.simulations) {
		to = int(t.simulations[i+1].from)
	}
	return t.path[t.simulations[i].from:to]
}

// setPriors sets the priors of a node from the evaluator's policy: that of a row or, if it
// scores afterstates, those of the rows from after on.
func (t *tree[S]) setPriors(n *node[S], row, after int) {
	g, edges := t.g, t.edgesOf(n)
	n.expanded = true
	g.logits = g.logits[:0]
	for k, e := range edges {
		if g.evaluator.ScoresAfterstates {
			g.logits = append(g.logits, g.policy[after+k])
		} else {
			g.logits = append(g.logits, g.policy[row*g.spec.Actions+int(e.action)])
		}
	}
	if g.float32Priors {
		models.Softmax(g.logits, g.logits)
		for k, x := range g.logits {
			edges[k].prior = float64(x)
		}
		return
	}
	most := slices.Max(g.logits)
	g.priors = g.priors[:0]
	for _, x := range g.logits {
		g.priors = append(g.priors, float64(x-most))
	}
	models.Softmax(g.priors, g.priors)
	for k, x := range g.priors {
		edges[k].prior = x
	}
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
func (t *tree[S]) readBest(n *node[S], row int) {
	g, p := t.g, len(t.share)
	g.moverShare, g.shares = g.moverShare[:0], g.shares[:0]
	for k, e := range t.edgesOf(n) {
		if s := g.rules.After(n.state, e.action); g.rules.CurrentPlayer(s) == game.Terminal {
			t.finish(g.setup, s)
		} else {
			t.readShares(row+k, n.mover)
		}
		g.moverShare, g.shares = append(g.moverShare, t.share[n.mover]), append(g.shares, t.share...)
	}
	copy(t.share, g.shares[max(0, game.BestOption(g.moverShare))*p:]) // 0 if the network's value is no number
}
