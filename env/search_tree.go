package env

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
)

// explore weighs priors against what was found, in shares of the win. Chosen by
// the exact regret at Martian Dice: with half or twice of it that is a tenth to
// two thirds higher.
const explore = 1.0

// tree is the search of one position. Its nodes are positions with a choice.
type tree[S comparable] struct {
	g     *grove[S]
	seed  uint64
	root  S
	index map[S]int32 // of nodes; or valued
	nodes []node
	edges []edge
	left  int         // simulations
	only  game.Action // or -1, see obvious

	// The simulation under way.
	dice  rand.PCG
	luck  uint64 // which dice it rolls
	turn  uint64 // how often they were seeded since
	at    S
	who   game.Player // has a choice there, or see arrive
	moves int
	rolls int // chance transitions since the last move
	path  []step
	out   bool      // of the tree: the player plays on
	row   int       // of the guide's answer
	share []float64 // [P] of the win, as it ends
}

// valued is the index of what is no node, but the start of a turn whose value
// has been asked.
const valued = -1

// node is a position with a choice between edges[first] to edges[first+n-1].
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

func newTree[S comparable](g *grove[S]) *tree[S] {
	return &tree[S]{g: g, index: map[S]int32{}, share: make([]float64, g.spec.Players)}
}

// plant begins the search of a position.
func (t *tree[S]) plant(s S) error {
	clear(t.index)
	t.root, t.nodes, t.edges = s, t.nodes[:0], t.edges[:0]
	if t.left = t.g.cfg.Simulations; t.g.cfg.Time > 0 {
		t.left = maxSimulations
	}
	if t.only = t.obvious(s); t.only >= 0 {
		t.left = 0
	}
	var err error
	t.seed, err = seedOf(t.g.cfg.Seed, s)
	t.begin()
	t.roll(0)
	return err
}

// obvious is an action that needs no search: the only one, or one that wins on
// the spot. It is -1 if there is none.
func (t *tree[S]) obvious(s S) game.Action {
	legal := t.g.options(s)
	if len(legal) == 1 {
		return legal[0]
	}
	who := t.g.k.rules.CurrentPlayer(s)
	for _, a := range legal {
		if after := t.g.k.apply(s, a); t.g.k.rules.CurrentPlayer(after) == game.Terminal {
			if t.finish(after); t.share[who] == 1 {
				return a
			}
		}
	}
	return -1
}

// begin begins a simulation.
func (t *tree[S]) begin() { t.at, t.moves, t.rolls, t.path, t.out = t.root, 0, 0, t.path[:0], false }

// roll seeds the dice of a simulation. The k-th simulations of all options of
// the root have the same luck, in each turn anew where turns are known, so that
// the options are compared by what they do and less by what they rolled.
func (t *tree[S]) roll(luck uint64) {
	t.luck, t.turn = luck, 0
	t.dice.Seed(t.seed, luck<<32)
}

// choice is the action visited most, the better one among equals, then the
// first.
func (t *tree[S]) choice() game.Action {
	switch {
	case t.only >= 0:
		return t.only
	case len(t.nodes) == 0: // for want of time
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

// grow goes on with simulations until something must be asked, and reports
// whether that is so.
func (t *tree[S]) grow() bool {
	for t.left > 0 && !t.g.late() {
		if t.who = t.arrive(); t.who == game.Terminal {
			t.learn()
			continue
		}
		if !t.out {
			if i, there := t.index[t.at]; there && i != valued {
				t.descend(i)
				continue
			}
		}
		if t.g.guide != nil {
			t.ask()
		} else {
			t.g.at = append(t.g.at, t.at)
		}
		return true
	}
	return false
}

// arrive plays dice and moves without a choice, and returns who has one, with
// the options in g.legal. It is game.Terminal if the simulation ends here, with
// the shares of the win, and game.Chance where a turn begins whose value is to be
// asked.
func (t *tree[S]) arrive() game.Player {
	g := t.g
	for {
		if g.planner != nil && t.moves > 0 && g.planner.Mover(t.at) >= 0 {
			t.turn++
			t.dice.Seed(t.seed, t.luck<<32|t.turn)
		}
		if g.ofTurns() && t.moves > 0 && g.planner.Mover(t.at) >= 0 {
			if _, seen := t.index[t.at]; !seen {
				return game.Chance
			}
		}
		who := g.k.rules.CurrentPlayer(t.at)
		switch {
		case who == game.Terminal || t.moves >= g.most || t.rolls >= g.k.limit:
			t.finish(t.at) // before the end nobody is paid, so all share alike
			return game.Terminal
		case who == game.Chance:
			t.rolls++
			t.at, _ = g.k.canonical(g.k.sampler.Sample(t.at, &t.dice))
		default:
			if len(g.options(t.at)) > 1 {
				return who
			}
			t.move(g.legal[0])
		}
	}
}

// finish takes the shares of the win that s pays.
func (t *tree[S]) finish(s S) {
	t.share = t.g.k.rules.Returns(t.share[:0], s)
	for i, r := range t.share {
		t.share[i] = t.g.spec.WinShare(r)
	}
}

// move takes an action.
func (t *tree[S]) move(a game.Action) {
	t.at = t.g.k.apply(t.at, a)
	t.moves++
	t.rolls = 0
}

// descend takes the edge of a node that promises most: PUCT, where an edge
// without a visit is held to be worth what its node is.
func (t *tree[S]) descend(i int32) {
	n := &t.nodes[i]
	edges := t.edges[n.first : n.first+n.n]
	mean := n.sum / float64(max(1, n.visits))
	u := explore * math.Sqrt(float64(max(1, n.visits)))
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
	if len(t.path) == 0 {
		t.roll(uint64(edges[best].visits))
	}
	t.path = append(t.path, step{i, n.first + int32(best)})
	t.move(edges[best].action)
}

// expand makes a node of where the simulation stands, its options being in
// g.legal, and returns its edges, for their priors.
func (t *tree[S]) expand() []edge {
	first := int32(len(t.edges))
	for _, a := range t.g.legal {
		t.edges = append(t.edges, edge{action: a})
	}
	t.index[t.at] = int32(len(t.nodes))
	t.nodes = append(t.nodes, node{first: first, n: int32(len(t.g.legal)), mover: t.who})
	return t.edges[first:]
}

// leave makes a node of where the simulation stands and leaves the tree there.
// Half of the prior is the player's play [A], the rest is shared alike.
func (t *tree[S]) leave(probs []float64) {
	edges := t.expand()
	for k := range edges {
		edges[k].prior = (1/float64(len(edges)) + probs[edges[k].action]) / 2
	}
	t.stay()
	t.out = true
}

// stay ends the path at the node made last.
func (t *tree[S]) stay() { t.path = append(t.path, step{int32(len(t.nodes) - 1), -1}) }

// playOn takes an action of the player, who plays with these probabilities [A].
func (t *tree[S]) playOn(probs []float64) {
	if !t.out {
		t.g.options(t.at)
		t.leave(probs)
	}
	t.move(SampleAction(probs, &t.dice))
}

// learn ends a simulation: all on its path learn what it came to.
func (t *tree[S]) learn() {
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
	t.left--
	t.begin()
}
