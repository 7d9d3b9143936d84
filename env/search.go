package env

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
)

// SearchConfig are the settings of a tree search.
type SearchConfig struct {
	Simulations int           // of a decision; 0 if Time is given
	Time        time.Duration // of a decision, in which case what is found depends on the machine
	Seed        uint64
}

// Validate reports all faults at once.
func (c SearchConfig) Validate() error {
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

// longest is the number of decisions after which a simulated game without a
// MoveLimit is truncated. Chosen: far above any game.
const longest = 100_000

// maxSimulations keeps the nodes of a tree countable by an int32, and a slip of
// the keyboard from taking all memory.
const maxSimulations = 10_000_000

// Guide is a network that leads a search. Many goroutines may call it at once.
type Guide struct {
	// Scores says that its policy is one number for the state just after an
	// action [n], rather than one for each action of a decision [n, A].
	Scores bool
	Speaks Speaks // of which states its values speak
	// Forward fills policy and values [n, P], the expected returns in the order
	// of play from the viewer, for observations [n, D].
	Forward func(policy, values, obs []float32)
}

// Speaks tells of which states the values of a network have been learned.
type Speaks int

// What values speak of.
const (
	OfDecisions Speaks = iota // as who is to decide sees them
	OfMoves                   // states just after moves, as who has moved sees them
	OfTurns                   // states in which turns begin, as their movers see them
)

// NewSearch implements [Game].
func (h *handle[S]) NewSearch(cfg SearchConfig, guide *Guide) (Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if !h.spec.HasWin() {
		return nil, fmt.Errorf("search: %s for %d counts %s, and search is for games with a winner", h.spec.ID, h.spec.Players, h.spec.Unit)
	}
	s := &treeSearch[S]{k: h.kit, spec: h.spec, cfg: cfg, guide: guide, d: h.spec.ObsLen(), most: cmp.Or(h.spec.MoveLimit, longest)}
	s.planner, _ = h.rules.(game.Planner[S])
	if guide != nil && guide.Speaks == OfTurns && s.planner == nil {
		return nil, fmt.Errorf("search: values of turns, and %s: %w", h.spec.ID, ErrNoPlanner)
	}
	names := h.BotNames()
	player, err := h.Bot(names[len(names)-1])
	if err != nil {
		return nil, err
	}
	s.player = player.(statePolicy[S]).Policy
	return statePolicy[S]{s}, nil
}

// treeSearch is Monte Carlo tree search, for any number of seats: each looks
// after its own share of the win. Dice are drawn as they come; positions that
// are reached in several ways are one. What a new position is worth says the
// guide, or, without one, a game that the game's own player (random where it
// has none) plays to the end.
//
// What is found in a position is a function of it and of the seed, unless time
// is limited: not of what else is asked, or was.
//
// Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006;
// the rule of selection from Silver et al., "Mastering the game of Go without
// human knowledge", Nature 550 (2017).
type treeSearch[S comparable] struct {
	k       kit[S]
	spec    game.Spec
	cfg     SearchConfig
	guide   *Guide          // or nil
	player  game.Policy[S]  // that plays on without a guide
	planner game.Planner[S] // or nil
	d       int             // D
	most    int             // decisions of a simulation
	free    sync.Pool       // of *grove[S]
}

// Probs implements [game.Policy].
func (x *treeSearch[S]) Probs(dst []float64, states []S) error {
	return x.ProbsContext(context.Background(), dst, states)
}

// ProbsContext implements [game.ContextPolicy].
func (x *treeSearch[S]) ProbsContext(ctx context.Context, dst []float64, states []S) error {
	g, _ := x.free.Get().(*grove[S])
	if g == nil {
		g = &grove[S]{treeSearch: x}
	}
	defer x.free.Put(g)
	clear(dst)
	n := x.group()
	for len(states) > 0 {
		some := states[:min(n, len(states))]
		if err := g.search(ctx, dst[:len(some)*x.spec.Actions], some); err != nil {
			return err
		}
		dst, states = dst[len(some)*x.spec.Actions:], states[len(some):]
	}
	return nil
}

// group is the number of trees that grow together. Chosen: what is asked of 64
// at once costs little more per tree than of more, and the trees stay within
// some tens of megabytes. A time that is given is for one tree.
func (x *treeSearch[S]) group() int {
	if x.cfg.Time > 0 {
		return 1
	}
	return min(max(1, 1<<16/x.cfg.Simulations), 64)
}

// grove is a number of trees that grow in lockstep, so that a policy is asked
// for all of them at once. One goroutine owns it.
type grove[S comparable] struct {
	*treeSearch[S]
	trees []*tree[S]
	began time.Time
	done  <-chan struct{} // closed when the search is interrupted
	legal []game.Action

	waiting []*tree[S] // for an answer
	at      []S        // where they stand, if the player is asked
	probs   []float64  // [n, A] its answer
	asking             // the guide
}

// options lists the legal actions in s; until the next call they are in g.legal.
func (g *grove[S]) options(s S) []game.Action {
	g.legal = g.k.rules.Legal(g.legal[:0], s)
	return g.legal
}

// late reports whether the time is up, or the search interrupted.
func (g *grove[S]) late() bool {
	select {
	case <-g.done:
		return true
	default:
		return g.cfg.Time > 0 && time.Since(g.began) >= g.cfg.Time
	}
}

// search searches the states and marks the choices in dst [n, A].
func (g *grove[S]) search(ctx context.Context, dst []float64, states []S) error {
	for len(g.trees) < len(states) {
		g.trees = append(g.trees, newTree(g))
	}
	g.began, g.done = time.Now(), ctx.Done()
	trees := g.trees[:len(states)]
	for i, s := range states {
		if err := trees[i].plant(s); err != nil {
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
		if err := g.answer(); err != nil {
			return err
		}
	}
	for i, t := range trees {
		dst[i*g.spec.Actions+int(t.choice())] = 1
	}
	return nil
}

// answer asks the guide or the player for all that wait.
func (g *grove[S]) answer() error {
	if g.guide != nil {
		g.forward()
		for _, t := range g.waiting {
			t.hear()
		}
		return nil
	}
	n := g.spec.Actions
	g.probs = resize(g.probs, len(g.at)*n)
	if err := g.player.Probs(g.probs, g.at); err != nil {
		return err
	}
	for i, t := range g.waiting {
		t.playOn(g.probs[i*n : (i+1)*n])
	}
	return nil
}

// seedOf makes a seed of what a position looks like.
func seedOf[S comparable](seed uint64, s S) (uint64, error) {
	b, err := binary.Append(binary.LittleEndian.AppendUint64(nil, seed), binary.LittleEndian, s)
	if err != nil {
		return 0, fmt.Errorf("env: a state cannot be written: %w", err)
	}
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64(), nil
}
