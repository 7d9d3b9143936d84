package search

import (
	"context"
	"time"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// Exploration is the constant c of PUCT: in shares of the win or, with Deviations, in
// standard deviations of the results of the simulations.
type Exploration struct {
	C          float64
	Deviations bool
}

// DefaultExploration is that of agents. A constant in shares of the win does not suit all
// games: one decision of Martian Dice matters more than one of the hundreds of a long game.
// Chosen by exact exploitability in small games of Martian Dice, and by matches in the long
// games (docs/lab/search-exploration.md).
var DefaultExploration = Exploration{C: 3, Deviations: true}

// setup is what all trees of a search share.
type setup[S comparable] struct {
	rules         core.Rules[S]
	spec          game.Spec      // whose MoveLimit is that of simulations
	d             int            // D
	evaluator     *Evaluator     // or nil
	bot           game.Policy[S] // for rollouts without an evaluator
	exploration   Exploration
	float32Priors bool // priors are computed in single precision
}

// Trees are searches of several states in lockstep, so that their leaves are evaluated
// in one batch. One goroutine owns them.
type Trees[S comparable] struct {
	*setup[S]
	all   []*tree[S]
	end   time.Time       // of the time for a search; or zero
	done  <-chan struct{} // closed when the search is interrupted; or nil
	few   bool            // the trees are so few that their evaluations and rollouts share the cores
	legal []game.Action

	waiting  []*tree[S]    // trees that wait for the evaluator or the bot
	rollouts []*rollout[S] // of these

	// The input and output of one call of the evaluator.
	obs    []float32 // [n, D]
	policy []float32 // [n, A] or [n]
	values []float32 // [n, P]
	first  []int     // the first row of each request, and n

	logits []float32 // [options]
	priors []float64 // [options]

	moverShare []float64 // [options] the mover's of shares
	shares     []float64 // [options, P] of the win
}

// maxMoves bounds the moves of a simulation of NewTrees in a game whose states repeat.
// Chosen: far above the depth of a tree.
const maxMoves = 1000

// NewTrees returns n trees for training, each with a [Gumbel] as the policy of its root. The
// evaluator of Search values decisions and has a logit for each action.
func NewTrees[S comparable](rules core.Rules[S], n int, x Exploration) *Trees[S] {
	spec := rules.Spec()
	spec.MoveLimit = maxMoves
	rules.Planner = nil // the dice of a simulation are those of its round
	g := &Trees[S]{setup: &setup[S]{rules: rules, spec: spec, d: spec.ObsLen(), evaluator: &Evaluator{Target: Decision}, exploration: x, float32Priors: true}}
	for range n {
		t := newTree(g)
		t.gumbel = new(Gumbel)
		g.all = append(g.all, t)
	}
	return g
}

// Begin starts the search of a decision by tree i. It must have several legal actions. The
// result is valid until the next Begin.
func (g *Trees[S]) Begin(i int, s S, h Halving) *Gumbel {
	t := g.all[i]
	t.reset(s, h.Simulations, 0)
	t.gumbel.reset(int(t.nodes[0].n), g.spec.Players, h)
	return t.gumbel
}

// Search calls next for each tree, and again whenever its search is done, until next returns
// false because it has begun no other. forward fills policy [n, A] and values [n, P] as that of
// an [Evaluator].
func (g *Trees[S]) Search(ctx context.Context, forward func(policy, values, obs []float32), next func(i int) bool) error {
	g.evaluator.Forward = forward
	for i, t := range g.all {
		t.idle = !next(i)
	}
	return g.run(ctx, next)
}

// run grows the trees that are not idle until all are. A tree whose search is done is idle
// unless next begins another.
func (g *Trees[S]) run(ctx context.Context, next func(i int) bool) error {
	for {
		g.waiting, g.obs = g.waiting[:0], g.obs[:0]
		for i, t := range g.all {
			for !t.idle && !t.grow() {
				t.idle = !next(i)
			}
			if !t.idle {
				g.waiting = append(g.waiting, t)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(g.waiting) == 0 {
			return nil
		}
		if err := g.evaluate(ctx); err != nil {
			return err
		}
	}
}

// late reports whether the time is up or the search is interrupted.
func (g *Trees[S]) late() bool {
	select {
	case <-g.done:
		return true
	default:
		return !g.end.IsZero() && !time.Now().Before(g.end)
	}
}

// evaluate calls the evaluator or the bot for the waiting trees.
func (g *Trees[S]) evaluate(ctx context.Context) error {
	if g.evaluator != nil {
		g.forward()
		for _, t := range g.waiting {
			t.receive()
		}
		return nil
	}
	if err := g.rollOut(ctx); err != nil {
		return err
	}
	for _, t := range g.waiting {
		t.receiveRollouts()
	}
	return nil
}

// portion returns how many of n evaluations or rollouts a goroutine handles.
func (g *Trees[S]) portion(n int) int {
	if g.few {
		return 1
	}
	return max(1, n)
}

// options lists the legal actions in s; until the next call they are in g.legal.
func (g *Trees[S]) options(s S) []game.Action {
	g.legal = g.rules.Legal(g.legal[:0], s)
	return g.legal
}
