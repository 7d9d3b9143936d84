package expert

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/elementary"
)

// treeExploration is the constant c of PUCT, in shares of the win. Chosen by the exact
// regret in Martian Dice. Package search scales its constant by the deviation of the results.
const treeExploration = 1.0

// maxPath bounds a simulation in a game whose states repeat. Chosen: far above the
// depth of a tree.
const maxPath = 1000

// tree is the search of one decision, the root. Its nodes are decisions; chance between
// them is sampled, and states that are reached in several ways share a node.
//
// At the root the simulations are divided among the actions by sequential halving with
// Gumbel noise; below it each seat takes the edge with the highest PUCT value.
//
// Source: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning
// with Gumbel", ICLR 2022, sections 3 to 5; the selection below the root from Silver
// et al., "Mastering the game of Go without human knowledge", Nature 550 (2017).
type tree[S comparable] struct {
	rules *core.Rules[S]
	spec  *game.Spec

	index  map[S]int32 // of nodes
	nodes  []node[S]   // the root first
	edges  []edge      // those of the root first
	afters []S         // states after edges that lead to no decision
	legal  []game.Action

	root

	// Of the current round, in which each candidate has one simulation.
	simulations []simulation
	path        []step
	requests    []int32   // nodes that the network must evaluate
	share       []float64 // [P]
	dice        rand.PCG
}

// node is a decision with the legal actions edges[first] to edges[first+n-1].
type node[S comparable] struct {
	state    S
	mover    game.Player
	first, n int32
	visits   int32
	request  int32   // its index in requests, or -1; valid while it has no visits
	sum      float64 // of the mover's shares
}

// edge is a legal action.
type edge struct {
	action game.Action
	// next is 0 where the action was not yet taken, k+1 if it leads to node k, and
	// -k-1 if it leads to afters[k].
	next   int32
	visits int32
	prior  float32
	sum    float64 // of the mover's shares
}

// step is a node on the path of a simulation and the edge taken.
type step struct{ node, edge int32 }

// simulation is a path, from path[from] to that of the next simulation, to the node of
// a request.
type simulation struct{ from, request int32 }

func newTree[S comparable](rules *core.Rules[S], spec *game.Spec) *tree[S] {
	return &tree[S]{rules: rules, spec: spec, index: map[S]int32{}, share: make([]float64, spec.Players)}
}

// reset starts the search of a decision, which must have several legal actions, with so
// many simulations of at most so many candidates. The network must evaluate the root.
func (t *tree[S]) reset(s S, simulations, candidates int) {
	clear(t.index)
	t.nodes, t.edges, t.afters = t.nodes[:0], t.edges[:0], t.afters[:0]
	t.simulations, t.path, t.requests = t.simulations[:0], t.path[:0], t.requests[:0]
	t.addNode(s)
	clear(t.index) // the root is shared with no path that leads back to its state
	t.root.reset(len(t.edges), t.spec.Players, simulations, candidates)
	t.request(0)
}

// addNode adds a node.
func (t *tree[S]) addNode(s S) int32 {
	k := int32(len(t.nodes))
	t.index[s] = k
	t.legal = t.rules.Legal(t.legal[:0], s)
	t.nodes = append(t.nodes, node[S]{state: s, mover: t.rules.CurrentPlayer(s), first: int32(len(t.edges)), n: int32(len(t.legal)), request: -1})
	for _, a := range t.legal {
		t.edges = append(t.edges, edge{action: a})
	}
	return k
}

// request adds the evaluation of a node.
func (t *tree[S]) request(k int32) {
	t.nodes[k].request = int32(len(t.requests))
	t.requests = append(t.requests, k)
}

// grow runs simulations until the network must evaluate requests, and reports whether
// it must; if not, the search is done. In a round each candidate has one simulation.
// All simulations of a round begin with the same dice, which reduces the variance of
// their differences.
func (t *tree[S]) grow(temperature float64, dice *rand.PCG) bool {
	for t.left > 0 {
		t.simulations, t.path, t.requests = t.simulations[:0], t.path[:0], t.requests[:0]
		seed := dice.Uint64()
		for _, e := range t.nextRound(t.edges, temperature) {
			t.dice.Seed(seed, 0)
			t.simulate(e)
		}
		if len(t.requests) > 0 {
			return true
		}
	}
	return false
}

// simulate plays from an edge of the root to a node without a visit or to the end.
func (t *tree[S]) simulate(e int32) {
	from, k := len(t.path), int32(0)
	for {
		t.path = append(t.path, step{k, e})
		if k = t.follow(e); k < 0 || len(t.path)-from >= maxPath {
			if k >= 0 {
				t.finish(t.nodes[k].state)
			}
			t.backUp(t.path[from:])
			t.path = t.path[:from]
			return
		}
		n := &t.nodes[k]
		if n.n > 1 && n.visits == 0 { // new, or requested in this round
			if n.request < 0 {
				t.request(k)
			}
			t.simulations = append(t.simulations, simulation{int32(from), n.request})
			return
		}
		e = t.selectEdge(n)
	}
}

// follow takes an edge and samples chance to the next decision. It returns its node, or
// -1 at the end of the game, with the result in t.share.
func (t *tree[S]) follow(e int32) int32 {
	ed := &t.edges[e]
	switch {
	case ed.next > 0:
		return ed.next - 1
	case ed.next == 0:
		s := t.rules.After(t.nodes[t.path[len(t.path)-1].node].state, ed.action)
		if t.rules.CurrentPlayer(s) >= 0 {
			k := t.node(s)
			t.edges[e].next = k + 1 // t.node may have moved the edges
			return k
		}
		t.afters = append(t.afters, s)
		ed.next = -int32(len(t.afters))
	}
	s := t.afters[-ed.next-1]
	if t.rules.CurrentPlayer(s) == game.Chance && t.rules.Settle(&s, &t.dice) >= 0 {
		return t.node(t.rules.Representative(s))
	}
	t.finish(s)
	return -1
}

// node returns the node of a decision.
func (t *tree[S]) node(s S) int32 {
	if k, ok := t.index[s]; ok {
		return k
	}
	return t.addNode(s)
}

// finish sets the shares of the win from the returns of s, which are zeros before the
// end: all shares are then equal.
func (t *tree[S]) finish(s S) {
	t.share = t.rules.Returns(t.share[:0], s)
	for i, r := range t.share {
		t.share[i] = t.spec.WinShare(r)
	}
}

// selectEdge returns the edge of a node with the highest PUCT value. An edge without a
// visit has the mean value of its node.
func (t *tree[S]) selectEdge(n *node[S]) int32 {
	if n.n == 1 {
		return n.first
	}
	mean := n.sum / float64(n.visits)
	u := treeExploration * math.Sqrt(float64(n.visits))
	best, most := 0, math.Inf(-1)
	for k, e := range t.edges[n.first : n.first+n.n] {
		q := mean
		if e.visits > 0 {
			q = e.sum / float64(e.visits)
		}
		if q += u * float64(e.prior) / float64(1+e.visits); q > most {
			best, most = k, q
		}
	}
	return n.first + int32(best)
}

// receive reads the network's outputs for the requests, logits [n, A] and values [n, P]
// as returns, and ends the simulations of the round.
func (t *tree[S]) receive(policy, values []float32, dice *rand.PCG) {
	p, a := t.spec.Players, t.spec.Actions
	for i, k := range t.requests {
		n := &t.nodes[k]
		t.setPriors(n, policy[i*a:][:a])
		t.readShares(values[i*p:][:p], n.mover)
		n.visits++
		n.sum += t.share[n.mover]
		if k == 0 {
			t.begin(t.edges, n.mover, policy, t.share, dice)
		}
	}
	for i, s := range t.simulations {
		to := len(t.path)
		if i+1 < len(t.simulations) {
			to = int(t.simulations[i+1].from)
		}
		mover := t.nodes[t.requests[s.request]].mover
		t.readShares(values[int(s.request)*p:][:p], mover)
		t.backUp(t.path[s.from:to])
	}
}

// readShares sets the shares of the win from values [P], seen by viewer.
func (t *tree[S]) readShares(values []float32, viewer game.Player) {
	game.SeatOrder(t.share, values, viewer)
	for i, r := range t.share {
		t.share[i] = t.spec.WinShare(r)
	}
}

// setPriors sets the priors of a node from its logits [A].
func (t *tree[S]) setPriors(n *node[S], logits []float32) {
	edges := t.edges[n.first : n.first+n.n]
	most := float32(math.Inf(-1))
	for _, e := range edges {
		most = max(most, logits[e.action])
	}
	sum := float32(0)
	for k := range edges {
		e := &edges[k]
		e.prior = float32(elementary.Exp(float64(logits[e.action] - most)))
		sum += e.prior
	}
	for k := range edges {
		edges[k].prior /= sum
	}
}

// backUp adds the shares of a simulation along its path.
func (t *tree[S]) backUp(path []step) {
	t.root.add(path[0].edge, t.share)
	for _, s := range path {
		n, e := &t.nodes[s.node], &t.edges[s.edge]
		x := t.share[n.mover]
		n.visits++
		n.sum += x
		e.visits++
		e.sum += x
	}
}
