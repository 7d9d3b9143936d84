package search

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// exploration is the constant c of PUCT, in standard deviations of the results of the
// simulations. A constant in shares of the win does not suit all games: one decision of
// Martian Dice matters more than one of the hundreds of a long game. Chosen by exact
// exploitability in small games of Martian Dice, and by matches in the long games
// (docs/lab/search-exploration.md).
const exploration = 3

// tree is the search of one state. Its nodes are states with several legal actions.
type tree[S comparable] struct {
	g      *trees[S]
	seed   uint64
	root   S
	index  map[S]int32 // of nodes; or evaluated
	nodes  []node
	edges  []edge
	left   int         // simulations still to run
	done   int         // simulations that have ended
	total  []float64   // [P] the sum of their shares of the win
	square []float64   // [P] the sum of the squares of these
	chance bool        // the root is no decision
	only   game.Action // the result of obvious; -1 if none

	// The current simulation.
	dice    rand.PCG
	stream  uint64 // of dice (see seedDice)
	turn    uint64 // number of turns started since seedDice
	at      S
	who     game.Player // the result of advance
	moves   int
	rolls   int // chance transitions since the last move
	path    []step
	rollout bool      // the simulation has left the tree
	row     int       // first row of the requested evaluation
	share   []float64 // [P] the result: shares of the win
}

// evaluated is the index of a start of a turn that has a value but no node.
const evaluated = -1

// node is a state with the legal actions edges[first] to edges[first+n-1].
type node struct {
	first, n int32
	mover    game.Player
	visits   int32
	sum      float64 // of the mover's shares
}

// edge is a legal action.
type edge struct {
	action game.Action
	visits int32
	prior  float64
	sum    float64 // of the mover's shares
}

// step is a node on the path of a simulation, and the edge taken or -1.
type step struct{ node, edge int32 }

func newTree[S comparable](g *trees[S]) *tree[S] {
	p := g.spec.Players
	return &tree[S]{g: g, index: map[S]int32{}, share: make([]float64, p), total: make([]float64, p), square: make([]float64, p)}
}

// reset starts the search of a state, for its values or for a decision.
func (t *tree[S]) reset(s S, values bool) error {
	clear(t.index)
	clear(t.total)
	clear(t.square)
	t.root, t.nodes, t.edges, t.done = s, t.nodes[:0], t.edges[:0], 0
	t.chance = t.g.rules.CurrentPlayer(s) < 0
	if t.left = t.g.cfg.Simulations; t.g.cfg.Time > 0 {
		t.left = maxSimulations
	}
	var err error
	if values { // values are compared: all states have the same dice
		t.only, t.seed = -1, t.g.cfg.Seed
	} else if t.only = t.obvious(s); t.only >= 0 {
		t.left = 0
	} else {
		t.seed, err = seedOf(t.g.cfg.Seed, s)
	}
	t.seedDice(0)
	t.begin()
	return err
}

// obvious returns an action that needs no search: the only legal one, or one that wins
// immediately. It returns -1 if there is none.
func (t *tree[S]) obvious(s S) game.Action {
	legal := t.g.options(s)
	if len(legal) == 1 {
		return legal[0]
	}
	who := t.g.rules.CurrentPlayer(s)
	for _, a := range legal {
		if after := t.g.rules.After(s, a); t.g.rules.CurrentPlayer(after) == game.Terminal {
			if t.finish(after); t.share[who] == 1 {
				return a
			}
		}
	}
	return -1
}

// begin starts a simulation.
func (t *tree[S]) begin() {
	t.at, t.moves, t.rolls, t.path, t.rollout = t.root, 0, 0, t.path[:0], false
	if t.chance {
		t.seedDice(uint64(t.done))
	}
}

// seedDice seeds the dice of a simulation. The k-th simulations of all actions of
// the root use common random numbers, which reduces the variance of their differences.
// If the rules are a [game.TurnPlanner], the dice are seeded again at each start of a
// turn.
func (t *tree[S]) seedDice(stream uint64) {
	t.stream, t.turn = stream, 0
	t.dice.Seed(t.seed, stream<<32)
}

// choice returns the action with the most visits; ties go to the larger sum of shares,
// then to the lowest index.
func (t *tree[S]) choice() game.Action {
	switch {
	case t.only >= 0:
		return t.only
	case len(t.nodes) == 0: // there was no time for a simulation
		return t.g.options(t.root)[0]
	}
	edges := t.edges[:t.nodes[0].n]
	best := &edges[0]
	for i := range edges {
		if e := &edges[i]; e.visits > best.visits || e.visits == best.visits && e.sum > best.sum+game.Tie {
			best = e
		}
	}
	return best.action
}

// grow runs simulations until a state must be evaluated, and reports whether one
// must.
func (t *tree[S]) grow() bool {
	for t.left > 0 && !t.g.late() {
		if t.who = t.advance(); t.who == game.Terminal {
			t.backUp()
			continue
		}
		if !t.rollout {
			if i, there := t.index[t.at]; there && i != evaluated {
				t.descend(i)
				continue
			}
		}
		if t.g.evaluator != nil {
			t.request()
		} else {
			t.g.at = append(t.g.at, t.at)
		}
		return true
	}
	return false
}

// advance samples chance and plays forced moves until a seat has several legal actions.
// It returns that seat, with its actions in g.legal. It returns game.Terminal if the
// simulation ends, with its result in t.share, and game.Chance at the start of a turn
// that must be evaluated.
func (t *tree[S]) advance() game.Player {
	g := t.g
	for {
		if _, starts := g.rules.TurnStart(t.at); starts && t.moves > 0 {
			t.turn++
			t.dice.Seed(t.seed, t.stream<<32|t.turn)
			if _, seen := t.index[t.at]; g.valuesTurns() && !seen {
				return game.Chance
			}
		}
		who := g.rules.CurrentPlayer(t.at)
		switch {
		case who == game.Terminal || t.moves >= g.most || t.rolls >= g.rules.ChanceLimit:
			t.finish(t.at) // returns are zeros before the end, so all shares are equal
			return game.Terminal
		case who == game.Chance:
			t.rolls++
			t.at, _ = g.rules.Canonical(g.rules.Sampler.Sample(t.at, &t.dice))
		default:
			if len(g.options(t.at)) > 1 {
				return who
			}
			t.move(g.legal[0])
		}
	}
}

// finish sets the shares of the win from the returns of s.
func (t *tree[S]) finish(s S) {
	t.share = t.g.rules.Returns(t.share[:0], s)
	for i, r := range t.share {
		t.share[i] = t.g.spec.WinShare(r)
	}
}

// move takes an action.
func (t *tree[S]) move(a game.Action) {
	t.at = t.g.rules.After(t.at, a)
	t.moves++
	t.rolls = 0
}

// descend takes the edge of a node with the highest PUCT value. An edge without a
// visit has the mean value of its node.
func (t *tree[S]) descend(i int32) {
	n := &t.nodes[i]
	edges := t.edges[n.first : n.first+n.n]
	mean := n.sum / float64(max(1, n.visits))
	u := exploration * t.deviation(n.mover) * math.Sqrt(float64(max(1, n.visits)))
	best, most := 0, math.Inf(-1)
	for k := range edges {
		e := &edges[k]
		q := mean
		if e.visits > 0 {
			q = e.sum / float64(e.visits)
		}
		if q += u * e.prior / float64(1+e.visits); q > most {
			best, most = k, q
		}
	}
	if len(t.path) == 0 && !t.chance {
		t.seedDice(uint64(edges[best].visits))
	}
	t.path = append(t.path, step{i, n.first + int32(best)})
	t.move(edges[best].action)
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

// expand adds a node for the current state, whose legal actions are in g.legal, and
// returns its edges. The caller sets their priors.
func (t *tree[S]) expand() []edge {
	first := int32(len(t.edges))
	for _, a := range t.g.legal {
		t.edges = append(t.edges, edge{action: a})
	}
	t.index[t.at] = int32(len(t.nodes))
	t.nodes = append(t.nodes, node{first: first, n: int32(len(t.g.legal)), mover: t.who})
	return t.edges[first:]
}

// startRollout adds a node for the current state and starts a rollout there. The prior
// is the mean of the bot's policy [A] and the uniform policy.
func (t *tree[S]) startRollout(probs []float64) {
	edges := t.expand()
	for k := range edges {
		edges[k].prior = (1/float64(len(edges)) + probs[edges[k].action]) / 2
	}
	t.endPath()
	t.rollout = true
}

// endPath ends the path at the newest node.
func (t *tree[S]) endPath() { t.path = append(t.path, step{int32(len(t.nodes) - 1), -1}) }

// rollOut takes an action sampled from the bot's probabilities [A].
func (t *tree[S]) rollOut(probs []float64) {
	if !t.rollout {
		t.g.options(t.at)
		t.startRollout(probs)
	}
	t.move(core.SampleAction(probs, &t.dice))
}

// backUp adds the result of a simulation along its path, and starts the next.
func (t *tree[S]) backUp() {
	for _, s := range t.path {
		n := &t.nodes[s.node]
		x := t.share[n.mover]
		n.visits++
		n.sum += x
		if s.edge >= 0 {
			e := &t.edges[s.edge]
			e.visits++
			e.sum += x
		}
	}
	for q, x := range t.share {
		t.total[q] += x
		t.square[q] += float64(x * x)
	}
	t.left--
	t.done++
	t.begin()
}
