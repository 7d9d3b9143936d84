package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// Config are the settings of a tree search.
type Config struct {
	Simulations int           // of a decision; 0 if Time is given
	Time        time.Duration // of a decision; the result then depends on the machine
	Seed        uint64
}

// Validate reports all faults at once.
func (c Config) Validate() error {
	var errs []error
	if c.Simulations < 0 || c.Simulations > maxSimulations {
		errs = append(errs, fmt.Errorf("simulations are %d; want 1 to %d", c.Simulations, maxSimulations))
	}
	if c.Time < 0 {
		errs = append(errs, fmt.Errorf("time is %v; want more than 0", c.Time))
	}
	if (c.Simulations == 0) == (c.Time == 0) {
		errs = append(errs, errors.New("want either simulations or time"))
	}
	return errors.Join(errs...)
}

// maxDecisions is the number of decisions after which a simulated game without a
// MoveLimit is truncated. Chosen: far above the length of any game.
const maxDecisions = 100_000

// maxSimulations bounds the number of nodes, which must fit an int32, and the memory that
// a mistyped number takes.
const maxSimulations = 10_000_000

// Searcher is a policy that searches, and values states by searches.
type Searcher[S comparable] interface {
	game.ContextPolicy[S]
	// Values writes the mean result of the simulations from each state to dst [n, P]:
	// shares of the win by seat. States may be of any kind. The search needs a number of
	// simulations.
	Values(ctx context.Context, dst []float64, states []S) error
}

// New returns a policy that searches each decision. A new leaf is evaluated by e or,
// if e is nil, by a rollout of bot.
func New[S comparable](rules game.Rules[S], cfg Config, e *Evaluator, bot game.Policy[S]) (Searcher[S], error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	spec := rules.Spec()
	if !spec.HasWin() {
		return nil, fmt.Errorf("search: %s for %d counts %s, and search needs a game with a win", spec.ID, spec.Players, spec.Unit)
	}
	s := &treeSearch[S]{
		rules: core.New(rules), spec: spec, cfg: cfg, evaluator: e, bot: bot, d: spec.ObsLen(),
		most: cmp.Or(spec.MoveLimit, maxDecisions),
	}
	if s.valuesTurns() && s.rules.Planner == nil {
		return nil, fmt.Errorf("search: the values are of starts of turns, and %s does not define where turns start", spec.ID)
	}
	return s, nil
}

// treeSearch is Monte Carlo tree search with PUCT selection. Each seat maximises its
// own share of the win. Chance is sampled; states that are reached in several ways
// share a node.
//
// Without a time limit the result for a state depends on the state and the seed alone,
// not on other searches, at the same time or before.
//
// Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006;
// the selection rule from Silver et al., "Mastering the game of Go without human
// knowledge", Nature 550 (2017).
type treeSearch[S comparable] struct {
	rules     core.Rules[S]
	spec      game.Spec
	cfg       Config
	evaluator *Evaluator     // or nil
	bot       game.Policy[S] // for rollouts without an evaluator
	d         int            // D
	most      int            // decisions of a simulation
	free      sync.Pool      // of *trees[S]
}

// Probs implements [game.Policy].
func (x *treeSearch[S]) Probs(dst []float64, states []S) error {
	return x.ProbsContext(context.Background(), dst, states)
}

// ProbsContext implements [game.ContextPolicy].
func (x *treeSearch[S]) ProbsContext(ctx context.Context, dst []float64, states []S) error {
	clear(dst)
	return x.run(ctx, states, false, func(first int, trees []*tree[S]) {
		for i, t := range trees {
			dst[(first+i)*x.spec.Actions+int(t.choice())] = 1
		}
	})
}

// Values implements [Searcher].
func (x *treeSearch[S]) Values(ctx context.Context, dst []float64, states []S) error {
	if x.cfg.Simulations == 0 {
		return errors.New("search: values need a number of simulations")
	}
	p := x.spec.Players
	return x.run(ctx, states, true, func(first int, trees []*tree[S]) {
		for i, t := range trees {
			for q, sum := range t.total {
				dst[(first+i)*p+q] = sum / float64(t.done)
			}
		}
	})
}

// run searches the states group by group, and calls read with the trees of each group and
// the index of its first state. With values the trees are searched for their values (see
// [Searcher]).
func (x *treeSearch[S]) run(ctx context.Context, states []S, values bool, read func(first int, trees []*tree[S])) error {
	g, _ := x.free.Get().(*trees[S])
	if g == nil {
		g = &trees[S]{treeSearch: x}
	}
	defer x.free.Put(g)
	n := x.group()
	for i := 0; i < len(states); i += n {
		some := states[i:min(i+n, len(states))]
		if err := g.search(ctx, some, values); err != nil {
			return err
		}
		read(i, g.all[:len(some)])
	}
	return nil
}

// group returns the number of trees searched together. Chosen: with 64 the evaluator's
// batches are large enough, and the trees take some tens of megabytes. A time limit
// is for one tree.
func (x *treeSearch[S]) group() int {
	if x.cfg.Time > 0 {
		return 1
	}
	return min(max(1, 1<<16/x.cfg.Simulations), 64)
}

// trees are searches of several states in lockstep, so that their leaves are evaluated
// in one batch. One goroutine owns them.
type trees[S comparable] struct {
	*treeSearch[S]
	all   []*tree[S]
	start time.Time
	done  <-chan struct{} // closed when the search is interrupted
	legal []game.Action

	waiting []*tree[S] // trees that wait for the evaluator or the bot
	at      []S        // [n] states for the bot
	probs   []float64  // [n, A] its probabilities
	evaluation
}

// options lists the legal actions in s; until the next call they are in g.legal.
func (g *trees[S]) options(s S) []game.Action {
	g.legal = g.rules.Legal(g.legal[:0], s)
	return g.legal
}

// late reports whether the time is up or the search is interrupted.
func (g *trees[S]) late() bool {
	select {
	case <-g.done:
		return true
	default:
		return g.cfg.Time > 0 && time.Since(g.start) >= g.cfg.Time
	}
}

// search searches the states. With values it also simulates where no choice is open.
func (g *trees[S]) search(ctx context.Context, states []S, values bool) error {
	for len(g.all) < len(states) {
		g.all = append(g.all, newTree(g))
	}
	g.start, g.done = time.Now(), ctx.Done()
	trees := g.all[:len(states)]
	for i, s := range states {
		if err := trees[i].reset(s, values); err != nil {
			return err
		}
	}
	for {
		g.waiting, g.at, g.obs = g.waiting[:0], g.at[:0], g.obs[:0]
		for _, t := range trees {
			if t.grow() {
				g.waiting = append(g.waiting, t)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(g.waiting) == 0 {
			break
		}
		if err := g.evaluate(); err != nil {
			return err
		}
	}
	return nil
}

// evaluate calls the evaluator or the bot for the waiting trees.
func (g *trees[S]) evaluate() error {
	if g.evaluator != nil {
		g.forward()
		for _, t := range g.waiting {
			t.receive()
		}
		return nil
	}
	n := g.spec.Actions
	g.probs = core.Resize(g.probs, len(g.at)*n)
	if err := g.bot.Probs(g.probs, g.at); err != nil {
		return err
	}
	for i, t := range g.waiting {
		t.rollOut(g.probs[i*n : (i+1)*n])
	}
	return nil
}

// seedOf returns a seed that depends on a seed and a state.
func seedOf[S comparable](seed uint64, s S) (uint64, error) {
	b, err := binary.Append(binary.LittleEndian.AppendUint64(nil, seed), binary.LittleEndian, s)
	if err != nil {
		return 0, fmt.Errorf("search: a state cannot be written: %w", err)
	}
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64(), nil
}
