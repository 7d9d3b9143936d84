package search

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
)

// tree is the search of one state, the root. Its nodes are decisions; chance between them is
// sampled, and states that are reached in several ways share a node. Simulations begin at the
// root with the edge that its policy takes: the one with the highest PUCT value, as below the
// root, or those of a [Gumbel].
type tree[S comparable] struct {
	g      *Trees[S]
	root   S
	chance bool        // the root is no decision
	gumbel *Gumbel     // the policy of the root; or nil
	index  map[S]int32 // of nodes; or evaluated
	nodes  []node[S]   // first that of the root, if it is a decision
	edges  []edge
	afters []S         // states after edges that lead to no decision
	left   int         // simulations still to start
	atOnce int         // simulations that are started together, at most
	done   int         // simulations that have ended
	total  []float64   // [P] the sum of their shares of the win
	square []float64   // [P] the sum of the squares of these
	goal   int         // simulations of the whole search
	marks  []float64   // [Sizes, P] total after goal/2, goal/4 and goal/8 of them
	idle   bool        // no search is under way
	only   game.Action // the choice where it needs no search; else -1

	// The simulations of the current round. With a Gumbel each of its candidates has one;
	// otherwise see together.
	path        []step
	simulations []simulation // those that wait for an evaluation, or for the end of a rollout
	requests    []request
	values      []float64     // [requests, P] shares of the win
	rollouts    []*rollout[S] // those in use first
	rolling     int           // rollouts in use

	// The current simulation.
	walk[S]
	from    int   // its path begins at path[from]
	resumed int32 // the node at which it goes on, or noNode
}

// walk is where a simulation is.
type walk[S comparable] struct {
	dice   rand.PCG
	seed   uint64
	stream uint64 // of dice (see seedDice)
	turn   uint64 // number of turns started since seedDice
	at     S      // where it has left the tree
	moves  int
	share  []float64 // [P] the result: shares of the win
}

const (
	evaluated = -1 // the index of a start of a turn that has a value but no node
	noNode    = -1
)

// node is a decision with the legal actions edges[first] to edges[first+n-1].
type node[S comparable] struct {
	state    S
	first, n int32
	visits   int32
	underWay int32 // simulations through it that have not ended, if several are started together
	request  int32 // its index in the requests of its evaluation, or -1
	mover    game.Player
	starts   bool    // a turn starts here
	expanded bool    // the edges have priors
	sum      float64 // of the mover's shares
}

// edge is a legal action.
type edge struct {
	action game.Action
	// next is 0 where the state after the action is not yet known, k+1 if it is that of
	// node k, and -k-1 if it is afters[k].
	next     int32
	visits   int32
	underWay int32 // as of a node
	prior    float64
	sum      float64 // of the mover's shares
}

// step is a node with several legal actions on the path of a simulation, and the edge taken
// or -1.
type step struct{ node, edge int32 }

// simulation is a path, from path[from] to that of the next simulation, to the node of
// a request, or of a rollout if there is no evaluator.
type simulation struct{ from, request int32 }

func newTree[S comparable](g *Trees[S]) *tree[S] {
	p := g.spec.Players
	return &tree[S]{g: g, index: map[S]int32{}, walk: walk[S]{share: make([]float64, p)}, total: make([]float64, p), square: make([]float64, p), marks: make([]float64, Sizes*p)}
}

// reset starts the search of a state with a number of simulations.
func (t *tree[S]) reset(s S, simulations int, seed uint64) {
	clear(t.index)
	clear(t.total)
	clear(t.square)
	t.root, t.nodes, t.edges, t.afters = s, t.nodes[:0], t.edges[:0], t.afters[:0]
	t.left, t.done, t.idle, t.only, t.resumed, t.from, t.moves = simulations, 0, false, -1, noNode, 0, 0
	t.seed, t.goal = seed, simulations
	t.seedDice(0)
	if t.chance = t.g.rules.CurrentPlayer(s) < 0; !t.chance {
		t.addNode(s)
		if t.gumbel != nil {
			clear(t.index) // no path leads back to the root
		}
	}
}

// addNode adds a node.
func (t *tree[S]) addNode(s S) int32 {
	k, legal := int32(len(t.nodes)), t.g.options(s)
	if len(legal) > 1 || t.moves > 0 { // else a turn may start here, and is valued where a path leads back
		t.index[s] = k
	}
	_, starts := t.g.rules.TurnStart(s)
	t.nodes = append(t.nodes, node[S]{state: s, mover: t.g.rules.CurrentPlayer(s), starts: starts, first: int32(len(t.edges)), n: int32(len(legal)), request: -1})
	for _, a := range legal {
		t.edges = append(t.edges, edge{action: a})
	}
	return k
}

func (t *tree[S]) edgesOf(n *node[S]) []edge { return t.edges[n.first : n.first+n.n] }

// seedDice seeds the dice of a simulation. The k-th simulations of all actions of
// the root use common random numbers, which reduces the variance of their differences.
// If the rules are a [game.TurnPlanner], the dice are seeded again at each start of a
// turn.
func (w *walk[S]) seedDice(stream uint64) {
	w.stream, w.turn = stream, 0
	w.dice.Seed(w.seed, stream<<32)
}

// startTurn seeds the dice at a start of a turn.
func (w *walk[S]) startTurn() {
	w.turn++
	w.dice.Seed(w.seed, w.stream<<32|w.turn)
}

// choice returns the action with the most visits; of those it is the [game.BestOption] by
// the sum of shares. Without visits it goes by the priors.
func (t *tree[S]) choice() game.Action {
	if t.only >= 0 {
		return t.only
	}
	edges, visits := t.edgesOf(&t.nodes[0]), int32(0)
	for i := range edges {
		visits = max(visits, edges[i].visits)
	}
	sums := make([]float64, len(edges))
	for i, e := range edges {
		if sums[i] = e.sum; visits == 0 {
			sums[i] = e.prior
		} else if e.visits < visits {
			sums[i] = math.Inf(-1)
		}
	}
	return edges[max(0, game.BestOption(sums))].action // 0 if a sum is no number
}

// grow runs simulations until some wait for evaluations, and reports whether they do; if
// not, the search is done.
func (t *tree[S]) grow() bool {
	for !t.g.late() {
		t.requests, t.simulations, t.rolling = t.requests[:0], t.simulations[:0], 0
		switch {
		case t.resumed != noNode:
			k := t.resumed
			t.resumed = noNode
			if t.nodes[k].starts && t.moves > 0 {
				t.startTurn()
			}
			t.play(k)
		case t.gumbel != nil && !t.nodes[0].expanded:
			t.request(0)
		case t.left == 0:
			return false
		case t.gumbel != nil:
			t.round()
		default:
			t.together()
		}
		if len(t.simulations) > 0 || len(t.requests) > 0 {
			return true
		}
	}
	return false
}

// together starts some simulations, whose evaluations or rollouts then take place at the same
// time: one at first, and more once the tree has grown. A later one counts the earlier ones as
// visits whose results are not known. Their number depends on nothing but the simulations that
// have ended.
//
// Source: Liu et al., "Watch the unobserved: a simple approach to parallelizing Monte Carlo tree
// search", ICLR 2020.
func (t *tree[S]) together() {
	t.path = t.path[:0]
	started := t.done
	for range min(t.left, 1+max(0, t.done-alone)/growth, t.atOnce) {
		t.left--
		t.moves, t.from = 0, len(t.path)
		if t.chance || t.nodes[0].n == 1 { // play seeds the dice of a choice
			t.seedDice(uint64(started))
		}
		if !t.chance {
			t.play(0)
		} else {
			t.at = t.root
			t.play(t.enter())
		}
		started++
	}
	t.from = 0
}

const (
	// mostAtOnce is the most simulations of a tree that are under way together. The first alone
	// simulations go one by one, and after each further growth of them one more is under way.
	// Chosen: no weaker than one by one (docs/lab/search-exploration.md).
	mostAtOnce = 16
	alone      = 64
	growth     = 32
)

// round runs a simulation of each candidate of the Gumbel. All begin with the same dice.
func (t *tree[S]) round() {
	t.path, t.seed = t.path[:0], t.gumbel.dice.Uint64()
	candidates := t.gumbel.next(t.left)
	t.left -= len(candidates)
	for _, e := range candidates {
		t.seedDice(0)
		t.moves, t.from = 0, len(t.path)
		t.path = append(t.path, step{0, e})
		t.play(t.follow(0, e))
	}
}

// play continues the simulation from a node, until it ends or waits for an evaluation.
func (t *tree[S]) play(k int32) {
	for k != noNode {
		n := &t.nodes[k]
		e := n.first
		if n.n > 1 {
			if !n.expanded {
				t.request(k)
				return
			}
			e = t.selectEdge(n)
			if k == 0 && len(t.path) == t.from && !t.chance && t.gumbel == nil {
				t.seedDice(uint64(t.edges[e].visits + t.edges[e].underWay))
			}
			t.path = append(t.path, step{k, e})
			t.pass(step{k, e}, 1)
		}
		k = t.follow(k, e)
	}
}

// follow takes an edge of a node, and returns the node of the next decision (see enter).
func (t *tree[S]) follow(k, e int32) int32 {
	t.moves++
	ed := &t.edges[e]
	switch {
	case ed.next > 0:
		n := &t.nodes[ed.next-1]
		if n.starts {
			t.startTurn()
		}
		if t.g.spec.Truncates(n.mover, t.moves) {
			t.end(n.state)
			return noNode
		}
		return ed.next - 1
	case ed.next < 0:
		t.at = t.afters[-ed.next-1]
	default:
		if t.at = t.g.rules.After(t.nodes[k].state, ed.action); t.g.rules.CurrentPlayer(t.at) < 0 {
			t.afters = append(t.afters, t.at)
			ed.next = -int32(len(t.afters))
		}
	}
	k = t.enter()
	if ed = &t.edges[e]; ed.next == 0 { // enter may have moved the edges
		ed.next = k + 1
	}
	return k
}

// enter samples chance, and returns the node of the decision that it leads to. It returns
// noNode if the simulation ends there or waits for the evaluation of the start of a turn.
func (t *tree[S]) enter() int32 {
	switch t.settle() {
	case game.Terminal:
		t.end(t.at)
		return noNode
	case game.Chance:
		t.request(noNode)
		return noNode
	}
	if k, ok := t.index[t.at]; ok && k != evaluated {
		return k
	}
	return t.addNode(t.at)
}

// settle samples chance to the next decision and returns its seat. It returns game.Terminal
// if the simulation ends in t.at, and game.Chance if that is the start of a turn that must be
// evaluated.
func (t *tree[S]) settle() game.Player { return t.walk.settle(t.g.setup, t.index) }

// settle is [tree.settle]. The starts of turns in index have values.
func (w *walk[S]) settle(x *setup[S], index map[S]int32) game.Player {
	for rolls := 0; ; rolls++ {
		if _, starts := x.rules.TurnStart(w.at); starts && w.moves > 0 {
			w.startTurn()
			if x.valuesTurns() {
				if _, seen := index[w.at]; !seen {
					return game.Chance
				}
			}
		}
		switch who := x.rules.CurrentPlayer(w.at); {
		case who == game.Chance && rolls < x.rules.ChanceLimit:
		case x.spec.Truncates(who, w.moves):
			return game.Terminal
		default:
			return who
		}
		w.at, _ = x.rules.Canonical(x.rules.Sampler.Sample(w.at, &w.dice))
	}
}

// finish sets the shares of the win from the returns of s, which are zeros before the end:
// all shares are then equal.
func (w *walk[S]) finish(x *setup[S], s S) {
	w.share = x.rules.Returns(w.share[:0], s)
	for i, r := range w.share {
		w.share[i] = x.spec.WinShare(r)
	}
}

// end ends the simulation in a state.
func (t *tree[S]) end(s S) {
	t.finish(t.g.setup, s)
	t.backUp(t.path[t.from:], t.share)
	t.path = t.path[:t.from]
}

// selectEdge returns the edge of a node with the highest PUCT value. An edge without a
// visit has the mean value of its node.
func (t *tree[S]) selectEdge(n *node[S]) int32 {
	visits := float64(max(1, n.visits))
	mean := n.sum / visits
	visits += float64(n.underWay)
	u := t.g.exploration.C
	if t.g.exploration.Deviations {
		u *= t.deviation(n.mover)
	}
	u *= math.Sqrt(visits)
	edges := t.edgesOf(n)
	best, most := 0, math.Inf(-1)
	for k := range edges {
		e := &edges[k]
		q := mean
		if e.visits > 0 {
			q = e.sum / float64(e.visits)
		}
		if q += u * e.prior / float64(1+e.visits+e.underWay); q > most {
			best, most = k, q
		}
	}
	return n.first + int32(best)
}

// deviation returns the standard deviation of the results of the simulations so far for a
// seat, in shares of the win, as if two more had been 0.1 off the mean.
//
// Source: KataGo, docs/KataGoMethods.md, "Dynamic Variance-Scaled cPUCT", which takes the
// deviation at each node and has other constants.
func (t *tree[S]) deviation(seat game.Player) float64 {
	const more, off = 2, 0.1
	n := float64(t.done)
	mean := t.total[seat] / max(1, n)
	return math.Sqrt((max(0, t.square[seat]-float64(n*mean*mean)) + more*off*off) / (n + more))
}

// pass adds to the simulations under way through a step.
func (t *tree[S]) pass(s step, more int32) {
	if t.atOnce > 1 {
		t.nodes[s.node].underWay += more
		t.edges[s.edge].underWay += more
	}
}

// backUp adds the shares of the win [P] of a simulation along its path.
func (t *tree[S]) backUp(path []step, share []float64) {
	if t.gumbel != nil {
		t.gumbel.add(path[0].edge, share)
	}
	for _, s := range path {
		t.pass(s, -1)
		n := &t.nodes[s.node]
		x := share[n.mover]
		n.visits++
		n.sum += x
		e := &t.edges[s.edge]
		e.visits++
		e.sum += x
	}
	for q, x := range share {
		t.total[q] += x
		t.square[q] += float64(x * x)
	}
	t.done++
	for k := range Sizes {
		if t.done == t.goal>>(k+1) {
			copy(t.marks[k*len(share):], t.total)
		}
	}
}

// parts writes the mean results of parts of the search to dst [Sizes, P]: the last half of its
// simulations, the quarter before and the eighth before that. A part without a simulation has the
// value of the part after it.
func (t *tree[S]) parts(dst []float64) {
	p, to := len(t.total), t.total
	for k := range Sizes {
		from, n := t.marks[k*p:][:p], t.goal>>k-t.goal>>(k+1)
		for q := range p {
			if dst[k*p+q] = (to[q] - from[q]) / float64(n); n == 0 {
				dst[k*p+q] = dst[(k-1)*p+q]
			}
		}
		to = from
	}
}
