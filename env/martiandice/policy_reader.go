package martiandice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// block is about how many rows are asked for at once, or those of one start.
// Chosen: states and answers take some 10 MB.
const maxRows = 80_000

// asker asks a policy for its decisions in the turns from some starts. It keeps
// what it has allocated.
type policyReader struct {
	s             *Solution
	policy        game.Policy[State]
	scorer        game.AfterstateScorer[State] // the policy, or nil
	ignoresScores bool                         // to the scores, and so asked once
	shared        *turnPolicy                  // of a blind policy, once asked
	rows          int                          // that are asked for from a start
	startsPerCall int                          // starts to ask for together

	states []State
	movers []game.Player
	out    []float64 // probabilities [rows, A], or scores [rows]
	pool   sync.Pool // of *chances
}

func (s *Solution) newPolicyReader(p game.Policy[State]) *policyReader {
	a := &policyReader{s: s, policy: p, rows: s.turn.decisionsPerTurn()}
	a.pool.New = func() any { return newTurnPolicy(s.turn) }
	switch p := p.(type) {
	case *greedy, game.Uniform[State]:
		a.ignoresScores = true
	case game.AfterstateScorer[State]:
		a.scorer, a.rows = p, s.turn.afterstatesPerTurn()
	}
	a.startsPerCall = 1 + maxRows/(1+a.rows)
	return a
}

// ask calls f, on all cores, with what the policy does in the turn from each
// start, by index in starts. f may not keep play.
func (a *policyReader) each(ctx context.Context, starts []int, f func(i int, play *turnPolicy) error) error {
	switch {
	case !a.ignoresScores:
		if err := a.call(ctx, starts); err != nil {
			return err
		}
	case a.shared == nil:
		if err := a.call(ctx, starts[:1]); err != nil {
			return err
		}
		a.shared = newTurnPolicy(a.s.turn)
		if err := a.fill(a.shared, 0); err != nil {
			return err
		}
	}
	return parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		play := a.pool.Get().(*turnPolicy)
		defer a.pool.Put(play)
		if a.ignoresScores {
			play.roll, play.option = a.shared.roll, a.shared.option
		} else if err := a.fill(play, i); err != nil {
			return err
		}
		return f(i, play)
	})
}

// put asks the policy about the turns from some starts.
func (a *policyReader) call(ctx context.Context, starts []int) error {
	n := len(starts) * a.rows
	a.states = slices.Grow(a.states[:0], n)[:n]
	if a.scorer == nil {
		a.out = slices.Grow(a.out[:0], n*int(actions))[:n*int(actions)]
	} else {
		a.out = slices.Grow(a.out[:0], n)[:n]
		a.movers = slices.Grow(a.movers[:0], n)[:n]
	}
	err := parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		at, rows := a.s.turnStart(starts[i]), a.states[i*a.rows:][:a.rows]
		if a.scorer == nil {
			a.s.fillDecisions(rows, at)
			return nil
		}
		a.s.fillAfterstates(rows, at)
		for k := range rows {
			a.movers[i*a.rows+k] = game.Player(at.Seat)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.scorer == nil {
		return game.Probs(ctx, a.policy, a.out, a.states)
	}
	return a.scorer.Score(a.out, a.states, a.movers)
}

// read fills play with the policy's answer about the i-th start.
func (a *policyReader) fill(play *turnPolicy, i int) error {
	t := a.s.turn
	if a.scorer != nil {
		scores := a.out[i*a.rows:][:a.rows]
		if slices.ContainsFunc(scores, math.IsNaN) {
			return errors.New("the policy's scores are not numbers")
		}
		play.choose(t, a.scorer, scores)
		return nil
	}
	states, row := a.states[i*a.rows:][:a.rows], a.out[i*a.rows*int(actions):]
	for k := range t.decisions {
		from, to := t.first[k], t.first[k+1]
		pick := play.option[from:to]
		for j, act := range t.actions[from:to] {
			pick[j] = row[act]
		}
		if err := normalise(pick); err != nil {
			return fmt.Errorf("at %s: %w", a.s.r.Format(states[k]), err)
		}
		row = row[actions:]
	}
	for k := t.ends; k < t.start(); k++ {
		probs := row[Roll:actions]
		if err := normalise(probs); err != nil {
			return fmt.Errorf("at %s: %w", a.s.r.Format(states[len(t.decisions)+k-t.ends]), err)
		}
		play.roll[k] = probs[0]
		row = row[actions:]
	}
	return nil
}

// perStart is the number of decisions of a turn: what to keep, and at each hold
// whether to roll.
func (t *turnGraph) decisionsPerTurn() int { return len(t.decisions) + t.start() - t.ends }

// fillDecisions fills dst [perStart] with the decisions of the turn that starts
// at s.
func (s *Solution) fillDecisions(dst []State, at State) {
	t := s.turn
	for k := range t.decisions {
		d := &t.decisions[k]
		dst[k] = withDice(at, d.Aside, d.Roll, Select)
	}
	for k, h := range t.holds[t.ends:t.start()] {
		dst[len(t.decisions)+k] = withDice(at, h.aside(), Counts{}, Decide)
	}
}

// afterstates is the number of states that decisions of a turn can lead to.
func (t *turnGraph) afterstatesPerTurn() int { return t.nodes() - 1 + t.start() - t.ends }

// fillAfterstates fills dst [afterstates] with what decisions of the turn that
// starts at s lead to: by code, the start left out, then the live holds after
// the choice to roll.
func (s *Solution) fillAfterstates(dst []State, at State) {
	t := s.turn
	dst = dst[:0]
	for k := range t.ends {
		dst = append(dst, s.r.score(at, k))
	}
	for _, h := range t.holds[t.ends:t.start()] {
		dst = append(dst, withDice(at, h.aside(), Counts{}, Decide))
	}
	for _, h := range t.hopeless {
		dst = append(dst, withDice(at, h.aside(), Counts{}, Decide))
	}
	for _, h := range t.holds[t.ends:t.start()] {
		dst = append(dst, withDice(at, h.aside(), Counts{}, Rolling))
	}
}

// state is the start of a turn of that number.
func (s *Solution) turnStart(start int) State {
	score, m := s.starts.at(start)
	return State{Score: score, Seat: uint8(m)}
}

func withDice(s State, aside, roll Counts, phase Phase) State {
	s.Aside, s.Roll, s.Phase = aside, roll, phase
	return s
}

// chances are a policy's probabilities for the decisions of one turn.
type turnPolicy struct {
	roll          []float64 // [live]
	option        []float64 // [options]
	reach         []float64 // [codes]
	decisionReach []float64 // [decisions]
	scores        []float64 // scratch
}

func newTurnPolicy(t *turnGraph) *turnPolicy {
	return &turnPolicy{
		roll: make([]float64, t.live), option: make([]float64, len(t.options)),
		reach: make([]float64, t.nodes()), decisionReach: make([]float64, len(t.decisions)), scores: make([]float64, actions),
	}
}

// spread adds to dist [ends] how the turn ends, and leaves in reach how likely
// each live hold comes up on the way, and in choosing each decision.
func (c *turnPolicy) propagate(t *turnGraph, dist []float64) {
	clear(c.reach)
	c.reach[t.start()] = 1
	t.propagate(dist, c.reach, c.decisionReach, c.roll, c.option)
}

// choose turns scores in the order of fillAfterstates into probabilities.
func (c *turnPolicy) choose(t *turnGraph, p game.AfterstateScorer[State], scores []float64) {
	of := func(code uint16) float64 {
		if int(code) > t.start() {
			code--
		}
		return scores[code]
	}
	for k := range t.decisions {
		o := t.optionsOf(k)
		for j, code := range o {
			c.scores[j] = of(code)
		}
		p.Choose(c.option[t.first[k]:t.first[k+1]], c.scores[:len(o)])
	}
	var probs [2]float64
	for i := t.ends; i < t.start(); i++ {
		c.scores[0] = scores[t.nodes()-1+i-t.ends] // roll
		c.scores[1] = of(uint16(t.holds[i].points))
		p.Choose(probs[:], c.scores[:2])
		c.roll[i] = probs[0]
	}
}

// normalise makes probabilities add up to one in double precision.
func normalise(p []float64) error {
	sum := 0.0
	for _, x := range p {
		if !(x >= 0) {
			return fmt.Errorf("probabilities %v of the legal actions are not all numbers from 0 up", p)
		}
		sum += x
	}
	if !(math.Abs(sum-1) <= 1e-5) {
		return fmt.Errorf("probabilities %v of the legal actions add up to %g; want 1", p, sum)
	}
	for i := range p {
		p[i] /= sum
	}
	return nil
}
