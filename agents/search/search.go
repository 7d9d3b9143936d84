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

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/parallel"
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

// maxSimulations bounds the number of nodes, which must fit an int32, and the memory that
// a mistyped number takes.
const maxSimulations = 10_000_000

// Sizes is the number of parts of a search that [Searcher] values.
const Sizes = 3

// Searcher is a policy that searches, and estimates the values of positions by searches.
type Searcher interface {
	env.ContextPolicy
	// Values writes mean results of the simulations from each position to dst [n, Sizes, P]:
	// shares of the win by seat, of the last half of the simulations, of the quarter before and
	// of the eighth before that. So a search shows how its value changes with its size. Positions
	// may be of any kind. The search needs a number of simulations.
	Values(ctx context.Context, dst []float64, at []env.Position) error
}

// New returns a policy that searches each decision. A new leaf is evaluated by e or, if e
// is nil, by a rollout of the game's last bot in BotNames.
func New(g env.Game, cfg Config, e *Evaluator) (Searcher, error) {
	s, err := of(g)
	if err != nil {
		return nil, err
	}
	return s.newSearch(cfg, e)
}

func (x *searches[S]) newSearch(cfg Config, e *Evaluator) (Searcher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	spec := x.rules.Spec()
	if !spec.HasWin() {
		return nil, fmt.Errorf("search: %s counts %s, and search needs a game with a win", spec.FullTitle(), spec.Unit)
	}
	names := x.rules.BotNames()
	bot, err := x.rules.Bot(names[len(names)-1])
	if err != nil {
		return nil, err
	}
	spec.MoveLimit = cmp.Or(spec.MoveLimit, x.rules.ChanceLimit)
	s := &treeSearch[S]{cfg: cfg}
	s.setup = setup[S]{rules: x.rules, spec: spec, d: spec.ObsLen(), evaluator: e, bot: bot, exploration: DefaultExploration}
	if s.valuesTurns() && s.rules.Planner == nil {
		return nil, fmt.Errorf("search: the values are of starts of turns, and %s does not define where turns start", spec.ID)
	}
	return searcher[S]{env.StatePolicy[S]{Policy: s}, s}, nil
}

// searcher implements [Searcher].
type searcher[S comparable] struct {
	env.StatePolicy[S]
	search *treeSearch[S]
}

// Values implements [Searcher].
func (x searcher[S]) Values(ctx context.Context, dst []float64, at []env.Position) error {
	if x.search.cfg.Simulations == 0 {
		return errors.New("search: values need a number of simulations")
	}
	width := Sizes * x.search.spec.Players
	return x.search.run(ctx, env.Representatives[S](at), true, func(i int, t *tree[S]) { t.parts(dst[i*width:][:width]) })
}

// treeSearch is Monte Carlo tree search with PUCT selection. Each seat maximises its
// own share of the win. Chance is sampled; states that are reached in several ways
// share a node.
//
// Without a time limit the result for a state depends on the state and the seed alone,
// not on other searches, at the same time or before, nor on the number of cores.
//
// Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006;
// the selection rule from Silver et al., "Mastering the game of Go without human
// knowledge", Nature 550 (2017).
type treeSearch[S comparable] struct {
	setup[S]
	cfg  Config
	free sync.Pool // of *Trees[S]
}

// Probs implements [game.Policy].
func (x *treeSearch[S]) Probs(dst []float64, states []S) error {
	return x.ProbsContext(context.Background(), dst, states)
}

// ProbsContext implements [game.ContextPolicy].
func (x *treeSearch[S]) ProbsContext(ctx context.Context, dst []float64, states []S) error {
	clear(dst)
	return x.run(ctx, states, false, func(i int, t *tree[S]) {
		dst[i*x.spec.Actions+int(t.choice())] = 1
	})
}

// run searches the states group by group, and calls read with the index of each state and its
// tree, on several goroutines. With values it also simulates where no choice is open, and all
// states have the same dice, since values are compared.
func (x *treeSearch[S]) run(ctx context.Context, states []S, values bool, read func(i int, t *tree[S])) error {
	grow := func(from, to int) error {
		g, _ := x.free.Get().(*Trees[S])
		if g == nil {
			g = &Trees[S]{setup: &x.setup}
		}
		defer x.free.Put(g)
		g.few = len(states) <= aFew
		if g.done = ctx.Done(); x.cfg.Time > 0 {
			g.end = time.Now().Add(x.cfg.Time)
		}
		for _, t := range g.all {
			t.idle = true
		}
		for i, s := range states[from:to] {
			if i == len(g.all) {
				g.all = append(g.all, newTree(g))
			}
			if err := x.begin(g.all[i], s, values); err != nil {
				return err
			}
		}
		if err := g.run(ctx, func(int) bool { return false }); err != nil {
			return err
		}
		for i, t := range g.all[:to-from] {
			read(from+i, t)
		}
		return nil
	}
	if values {
		return parallel.ForContext(ctx, len(states), min(x.group(), valuesAtOnce), grow)
	}
	for from := 0; from < len(states); from += x.group() {
		if err := grow(from, min(from+x.group(), len(states))); err != nil {
			return err
		}
	}
	return nil
}

const (
	// aFew states or fewer are those of people, who wait for the answer: the simulations of a tree
	// share the cores. Of more, as in matches, other goroutines search others.
	aFew = 4
	// valuesAtOnce is the number of states of which a goroutine searches the values. Chosen: the
	// evaluator's batches are large enough.
	valuesAtOnce = 16
)

// begin starts the search of a state.
func (x *treeSearch[S]) begin(t *tree[S], s S, values bool) (err error) {
	seed := x.cfg.Seed
	t.atOnce = 1 // where a simulation has several evaluations, or for values
	if !values {
		if !x.valuesTurns() {
			t.atOnce = mostAtOnce
		}
		if a := x.obvious(t, s); a >= 0 {
			t.only, t.idle = a, true
			return nil
		}
		if seed, err = seedOf(seed, s); err != nil {
			return err
		}
	}
	t.reset(s, cmp.Or(x.cfg.Simulations, maxSimulations), seed)
	return nil
}

// obvious returns an action that needs no search: the only legal one, or one that wins
// immediately. It returns -1 if there is none.
func (x *treeSearch[S]) obvious(t *tree[S], s S) game.Action {
	legal := t.g.options(s)
	if len(legal) == 1 {
		return legal[0]
	}
	who := x.rules.CurrentPlayer(s)
	for _, a := range legal {
		if after := x.rules.After(s, a); x.rules.CurrentPlayer(after) == game.Terminal {
			if t.finish(&x.setup, after); t.share[who] == 1 {
				return a
			}
		}
	}
	return -1
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
