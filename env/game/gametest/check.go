// Package gametest checks that rules satisfy the contract of package game, as
// testing/fstest does for file systems. The test of a game needs little more than
//
//	if err := gametest.Check(rules); err != nil {
//		t.Error(err)
//	}
package gametest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// An Option changes what Check does.
type Option func(*options)

type options struct {
	games, length int
	seed          uint64
}

// Games sets the number of random games played; the default is 100.
func Games(n int) Option { return func(o *options) { o.games = n } }

// Length sets the number of states, chance included, within which each random
// game must end; the default is 10,000.
func Length(n int) Option { return func(o *options) { o.length = n } }

// Seed chooses the random games; the default is 1.
func Seed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// Check plays random games and checks every state that they visit against the
// contract, the optional interfaces of the rules included. It does not solve games: the
// test of a solver compares it with env/tabular. It returns nil, or the first breach of
// each clause, joined: each names the clause, the state and what is wrong.
//
// Check examines only the states that it visits. It calls the rules from several
// goroutines at once, so a run under the race detector checks that as well.
func Check[S comparable](rules game.Rules[S], opts ...Option) error {
	o := options{games: 100, length: 10_000, seed: 1}
	for _, opt := range opts {
		opt(&o)
	}
	c := &checker[S]{
		rules:    rules,
		options:  o,
		seen:     make(map[S]bool),
		observed: make(map[string]observed[S]),
		drawn:    make(map[[sha256.Size]byte][]float32),
		failed:   make(map[string]bool),
	}
	c.sampler, _ = rules.(game.Sampler[S])
	c.presenter, _ = rules.(game.Presenter[S])
	c.symmetry, _ = rules.(game.Symmetry[S])
	c.expander, _ = rules.(game.ChanceExpander[S])
	c.compact, _ = rules.(game.CompactEncoder[S])
	c.run()
	return errors.Join(c.errs...)
}

type checker[S comparable] struct {
	options
	rules     game.Rules[S]
	core      core.Rules[S]
	spec      game.Spec
	scales    []int           // of the numbers of an observation
	sampler   game.Sampler[S] // or nil, as the next three
	presenter game.Presenter[S]
	symmetry  game.Symmetry[S]
	expander  game.ChanceExpander[S]
	compact   game.CompactEncoder[S]
	codes     *game.Codes // of compact; nil if it has none

	seen      map[S]bool // states checked, and whether the game can continue from them
	chances   []S        // distinct chance states, in the order of their first visit
	decisions []S        // distinct representatives with a decision
	observed  map[string]observed[S]

	told  int                             // states whose rolls and narration are checked
	drawn map[[sha256.Size]byte][]float32 // observations of movers, by the hash of the scene
	typos int                             // number of states whose text was parsed with typos

	failed map[string]bool
	errs   []error
}

// fail records the first breach of a clause.
func (c *checker[S]) fail(clause, format string, args ...any) {
	if c.failed[clause] {
		return
	}
	c.failed[clause] = true
	c.errs = append(c.errs, fmt.Errorf("gametest: %s: %s", clause, fmt.Sprintf(format, args...)))
}

// failAt records a breach in state s.
func (c *checker[S]) failAt(s S, clause, format string, args ...any) {
	if !c.failed[clause] {
		c.fail(clause, "in state %s: %s", c.text(s), fmt.Sprintf(format, args...))
	}
}

// try runs f and records a panic in it as a breach.
func (c *checker[S]) try(s S, method string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			c.failAt(s, method+" does not panic", "%v", r)
		}
	}()
	f()
}

// text is s in the notation of the game, if it has one, and in Go's syntax.
func (c *checker[S]) text(s S) (text string) {
	text = fmt.Sprintf("%+v", s)
	if c.presenter != nil {
		defer func() { _ = recover() }() // Format may be the faulty method
		text = fmt.Sprintf("%q %s", c.presenter.Format(s), text)
	}
	return text
}

// action is the name of a, if it has one, and its number.
func (c *checker[S]) action(a game.Action) string {
	if c.presenter == nil || a < 0 || int(a) >= c.spec.Actions {
		return fmt.Sprintf("action %d", a)
	}
	return fmt.Sprintf("action %d %q", a, c.presenter.ActionName(a))
}

func (c *checker[S]) run() {
	if !c.checkSpec() {
		return // all other checks need the sizes
	}
	c.core = core.New(c.rules)
	var start S
	c.try(start, "Initial", func() {
		start = c.rules.Initial()
		if again := c.rules.Initial(); again != start {
			c.fail("Initial never changes", "%+v, then %+v", start, again)
		}
	})
	if len(c.errs) > 0 {
		return
	}
	if fault := unfit(reflect.TypeFor[S](), "S"); fault != "" {
		c.fail("a state has exported fields of fixed size", "%s", fault)
	}
	if c.presenter != nil {
		c.try(start, "Notation", c.checkNames)
		c.try(start, "Parse", func() { c.checkNonPositions(start) })
	}
	if b, ok := c.rules.(game.OddsTables); ok {
		c.try(start, "OddsTables", func() { c.checkOddsTables(b) })
	}
	if c.compact != nil {
		c.try(start, "Codes", c.checkCodes)
	}

	traces := make([][]S, c.games)
	for i := range traces {
		traces[i] = c.play(start, i)
	}
	if len(c.chances) == 0 && c.spec.Chance == game.ExplicitStochastic {
		c.fail("a stochastic game has chance states", "%d random games met none", c.games)
	}
	c.checkSampling()
	c.checkBots()
	c.checkTurns(traces)
	c.checkMistakes()
	c.checkRows(start)
	c.checkRepeat(start, traces)
}

// play plays one random game, checks each state that is new, and returns the
// states in order.
func (c *checker[S]) play(start S, i int) []S {
	r := rand.New(rand.NewPCG(c.seed, uint64(i)))
	trace := []S{start}
	limit := c.spec.ChanceLimit()
	rolls := 0 // chance transitions since the last decision
	for s := start; ; {
		if !c.check(s) {
			return trace
		}
		if rolls++; c.rules.CurrentPlayer(s) != game.Chance {
			rolls = 0
		}
		if rolls > limit {
			c.failAt(s, "chance leads to a decision or the end", "random game %d has had %d chance transitions without one", i, limit)
			return trace
		}
		next, over := c.next(s, r)
		if over {
			return trace
		}
		if len(trace) == c.length {
			c.failAt(next, "games end", "random game %d has not ended after %d states", i, c.length)
			return trace
		}
		s = next
		trace = append(trace, s)
	}
}

// check checks s if it is new, and reports whether the game can continue from it.
func (c *checker[S]) check(s S) bool {
	sound, ok := c.seen[s]
	if !ok {
		c.seen[s] = false // until the checks have returned without a panic
		c.try(s, "a method", func() { c.seen[s] = c.checkState(s) })
		sound = c.seen[s]
	}
	return sound
}

// next plays a random action or samples chance, and reports whether the game is over.
func (c *checker[S]) next(s S, r *rand.Rand) (next S, over bool) {
	switch c.rules.CurrentPlayer(s) {
	case game.Terminal:
		return s, true
	case game.Chance:
		outcomes := c.rules.Outcomes(nil, s)
		x := r.Float64()
		for _, o := range outcomes {
			if x -= o.Prob; x < 0 {
				return o.State, false
			}
		}
		return outcomes[len(outcomes)-1].State, false
	default:
		legal := c.rules.Legal(nil, s)
		next, err := c.rules.Apply(s, legal[r.IntN(len(legal))])
		return next, err != nil
	}
}

// checkRepeat plays all games again, in several goroutines at once, and compares the
// states.
func (c *checker[S]) checkRepeat(start S, traces [][]S) {
	if len(c.errs) > 0 {
		return // the rules may not be fit to play
	}
	const workers = 4
	var faults [workers]error
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					faults[w] = fmt.Errorf("panic: %v", r)
				}
			}()
			for i, trace := range traces {
				if err := c.repeat(start, i, trace); err != nil {
					faults[w] = err
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			c.fail("the same seed replays identically, in several goroutines", "%v", err)
		}
	}
}

func (c *checker[S]) repeat(start S, i int, trace []S) error {
	r := rand.New(rand.NewPCG(c.seed, uint64(i)))
	obs := make([]float32, c.spec.ObsLen())
	s := start
	for k, want := range trace {
		if s != want {
			return fmt.Errorf("game %d: state %d was %s, now %s", i, k, c.text(want), c.text(s))
		}
		c.rules.Encode(obs, s, 0)
		c.rules.Returns(nil, s)
		if c.symmetry != nil {
			c.symmetry.Canonical(s)
		}
		if c.sampler != nil && c.rules.CurrentPlayer(s) == game.Chance {
			c.sampler.Sample(s, rand.NewPCG(c.seed, uint64(i)))
		}
		s, _ = c.next(s, r)
	}
	return nil
}

// unfit returns why values of type t cannot be cloned by assignment or written by
// encoding/binary; "" if they can.
func unfit(t reflect.Type, path string) string {
	switch k := t.Kind(); k {
	case reflect.Array:
		return unfit(t.Elem(), path+"[i]")
	case reflect.Struct:
		for f := range t.Fields() {
			name := path + "." + f.Name
			if !f.IsExported() && f.Name != "_" {
				return name + " is not exported"
			}
			if fault := unfit(f.Type, name); fault != "" {
				return fault
			}
		}
		return ""
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return fmt.Sprintf("%s is of type %s, whose size depends on the machine", path, t)
	default:
		if k < reflect.Bool || k > reflect.Complex128 {
			return fmt.Sprintf("%s is of type %s, which holds a pointer", path, t)
		}
		return ""
	}
}
