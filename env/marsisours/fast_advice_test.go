package marsisours_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// attackCount counts what the exact solution says about attacks. Positions that differ by
// a symmetry or by the numbers of the seats count once.
type attackCount struct {
	legal  int64 // decisions in which an attack is legal
	best   int64 // of them, those in which an attack is best
	alone  int64 // of them, those in which nothing else is
	tried  int64 // attacks of these decisions
	unwise int64 // attacks whose defender would rather be beaten
}

// fastAdvice is what docs/advice.md says: about the game with half the robots, and about
// the published one.
var fastAdvice = map[bool]struct {
	count         attackCount
	never, always float64 // the win of a player that never, or always, attacks, against best play
}{
	false: {attackCount{2_717, 1_583, 536, 3_955, 0}, 0.208333, 0.413194},
	true:  {attackCount{1_637_409, 1_092_592, 234_847, 4_988_679, 84_479}, 0.208333, 0.090215},
}

// TestFastAdvice checks the advice of the rules, "attacking is a good thing" and "being
// attacked has benefits too". Without -full each seat has half the robots.
//
//	go test -run FastAdvice ./env/marsisours -full -v
func TestFastAdvice(t *testing.T) {
	r := halfRobots(t)
	if *full {
		r = newRules(t, marsisours.FastConfig())
	}
	sol, want := solve(t, r), fastAdvice[*full]
	attacks := func(a game.Action) bool { return strings.HasPrefix(r.ActionName(a), "attack") }
	var got attackCount
	tabulate(t, sol, seen{game.Uniform[state]{Rules: r}, func(s state) { got.add(t, r, sol, s, attacks) }})
	t.Logf("an attack is legal in %d decisions, best in %d, and alone best in %d", got.legal, got.best, got.alone)
	t.Logf("of %d attacks, %d are such that the defender would rather be beaten", got.tried, got.unwise)
	if got != want.count {
		t.Errorf("counts %+v, want %+v", got, want.count)
	}
	best := tabulate(t, sol, sol.Policy())
	for name, x := range map[string]struct {
		p    prefer
		want float64
	}{
		"never attacks":  {prefer{r, sol, func(a game.Action) bool { return !attacks(a) }}, want.never},
		"always attacks": {prefer{r, sol, attacks}, want.always},
	} {
		v, err := sol.Evaluate(context.Background(), nil, []game.TabularPolicy{tabulate(t, sol, x.p), best})
		if err != nil {
			t.Fatal(err)
		}
		win := (1 + v[0]) / 2
		t.Logf("a player that %s where it can wins %.6f against best play", name, win)
		if !(math.Abs(win-x.want) <= 1e-6) {
			t.Errorf("a player that %s wins %v, want %v", name, win, x.want)
		}
	}
}

// add counts the attacks of a decision.
func (c *attackCount) add(t *testing.T, r *marsisours.Rules, sol solution, s state, attacks func(game.Action) bool) {
	if s.Start != 0 { // the same with the seats exchanged
		return
	}
	values, err := sol.Options(nil, s)
	if err != nil {
		t.Error(err)
	}
	attack, other := math.Inf(-1), math.Inf(-1)
	for i, a := range r.Legal(nil, s) {
		if !attacks(a) {
			other = max(other, values[i])
			continue
		}
		attack = max(attack, values[i])
		after, err := r.Apply(s, a)
		if err != nil {
			t.Error(err)
		}
		var result [2]float64 // of a failure and of a success, to the attacker
		for _, o := range r.Outcomes(nil, after) {
			v, err := sol.Value(nil, o.State)
			if err != nil {
				t.Error(err)
			}
			if strings.HasPrefix(r.OutcomeName(after, o.State), "won") {
				result[1] = v[s.Mover]
			} else {
				result[0] = v[s.Mover]
			}
		}
		atomic.AddInt64(&c.tried, 1)
		if result[0] > result[1]+game.Tie {
			atomic.AddInt64(&c.unwise, 1)
		}
	}
	if math.IsInf(attack, -1) {
		return
	}
	atomic.AddInt64(&c.legal, 1)
	if attack >= other-game.Tie {
		atomic.AddInt64(&c.best, 1)
	}
	if attack > other+game.Tie {
		atomic.AddInt64(&c.alone, 1)
	}
}

// seen is a policy that calls see with the states of all decisions.
type seen struct {
	policy
	see func(s state)
}

// Probs implements [game.Policy].
func (p seen) Probs(dst []float64, states []state) error {
	for _, s := range states {
		p.see(s)
	}
	return p.policy.Probs(dst, states)
}

// prefer plays the best of the actions that it wants or, where there are none, of all.
type prefer struct {
	r     *marsisours.Rules
	sol   solution
	wants func(game.Action) bool
}

// Probs implements [game.Policy].
func (p prefer) Probs(dst []float64, states []state) error {
	clear(dst)
	n := p.r.Spec().Actions
	for i, s := range states {
		legal := p.r.Legal(nil, s)
		values, err := p.sol.Options(nil, s)
		if err != nil {
			return err
		}
		best := 0
		for k, a := range legal {
			switch wanted, now := p.wants(legal[best]), p.wants(a); {
			case now && !wanted, now == wanted && values[k] > values[best]+game.Tie:
				best = k
			}
		}
		dst[i*n+int(legal[best])] = 1
	}
	return nil
}
