package martiandice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/env/tabular"
	"marsgym/internal/parallel"
)

// maxRows is the number of rows of one call of a policy, rounded up to whole starts.
// Chosen: states and answers take some 10 MB.
const maxRows = 80_000

// policyReader reads the probabilities of a policy in the turns from some starts. It
// reuses its memory.
type policyReader struct {
	s             *Solution
	policy        game.Policy[State]
	scorer        game.AfterstateScorer[State] // the policy, or nil
	ignoresScores bool                         // the policy has the same probabilities at all starts
	shared        *turnPolicy                  // those probabilities, once read
	rows          int                          // rows for one start
	startsPerCall int

	states []State
	movers []game.Player
	out    []float64 // probabilities [rows, A], or scores [rows]
	pool   sync.Pool // of *turnPolicy
}

func (s *Solution) newPolicyReader(p game.Policy[State]) *policyReader {
	pr := &policyReader{s: s, policy: p, rows: s.turn.decisionsPerTurn()}
	pr.pool.New = func() any { return newTurnPolicy(s.turn) }
	switch p := p.(type) {
	case *greedy, game.Uniform[State]:
		pr.ignoresScores = true
	case game.AfterstateScorer[State]:
		pr.scorer, pr.rows = p, s.turn.afterstatesPerTurn()
	}
	pr.startsPerCall = 1 + maxRows/(1+pr.rows)
	return pr
}

// each calls f on all cores with the index of each start in starts and the policy's
// probabilities in the turn from there. f must not retain play.
func (pr *policyReader) each(ctx context.Context, starts []int, f func(i int, play *turnPolicy) error) error {
	switch {
	case !pr.ignoresScores:
		if err := pr.call(ctx, starts); err != nil {
			return err
		}
	case pr.shared == nil:
		if err := pr.call(ctx, starts[:1]); err != nil {
			return err
		}
		pr.shared = newTurnPolicy(pr.s.turn)
		if err := pr.fill(pr.shared, 0); err != nil {
			return err
		}
	}
	return parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		play := pr.pool.Get().(*turnPolicy)
		defer pr.pool.Put(play)
		if pr.ignoresScores {
			play.roll, play.option = pr.shared.roll, pr.shared.option
		} else if err := pr.fill(play, i); err != nil {
			return err
		}
		return f(i, play)
	})
}

// call calls the policy for the turns from some starts.
func (pr *policyReader) call(ctx context.Context, starts []int) error {
	n := len(starts) * pr.rows
	pr.states = slices.Grow(pr.states[:0], n)[:n]
	if pr.scorer == nil {
		pr.out = slices.Grow(pr.out[:0], n*int(actions))[:n*int(actions)]
	} else {
		pr.out = slices.Grow(pr.out[:0], n)[:n]
		pr.movers = slices.Grow(pr.movers[:0], n)[:n]
	}
	err := parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		at, rows := pr.s.turnStart(starts[i]), pr.states[i*pr.rows:][:pr.rows]
		if pr.scorer == nil {
			pr.s.fillDecisions(rows, at)
		} else {
			pr.s.fillAfterstates(rows, pr.movers[i*pr.rows:][:pr.rows], at)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if pr.scorer == nil {
		return game.Probs(ctx, pr.policy, pr.out, pr.states)
	}
	return pr.scorer.Score(pr.out, pr.states, pr.movers)
}

// fill copies the policy's probabilities for the i-th start to play.
func (pr *policyReader) fill(play *turnPolicy, i int) error {
	t := pr.s.turn
	if pr.scorer != nil {
		scores := pr.out[i*pr.rows:][:pr.rows]
		if slices.ContainsFunc(scores, math.IsNaN) {
			return errors.New("the policy's scores contain NaN")
		}
		play.choose(t, pr.scorer, scores)
		return nil
	}
	states, row := pr.states[i*pr.rows:][:pr.rows], pr.out[i*pr.rows*int(actions):]
	for k := range t.decisions {
		from, to := t.first[k], t.first[k+1]
		probs := play.option[from:to]
		for j, act := range t.actions[from:to] {
			probs[j] = row[act]
		}
		if err := tabular.Normalise(probs); err != nil {
			return fmt.Errorf("at %s the policy gives %w", pr.s.r.Format(states[k]), err)
		}
		row = row[actions:]
	}
	for k := t.ends; k < t.start(); k++ {
		probs := row[Roll:actions]
		if err := tabular.Normalise(probs); err != nil {
			return fmt.Errorf("at %s the policy gives %w", pr.s.r.Format(states[len(t.decisions)+k-t.ends]), err)
		}
		play.roll[k] = probs[0]
		row = row[actions:]
	}
	return nil
}

// decisionsPerTurn returns the number of decisions of a turn: which type to set aside
// after each roll, and whether to roll on from each hold.
func (t *turnGraph) decisionsPerTurn() int { return len(t.decisions) + t.start() - t.ends }

// fillDecisions fills dst [decisionsPerTurn] with the decisions of the turn that
// starts in at.
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

// afterstatesPerTurn returns the number of afterstates of a turn.
func (t *turnGraph) afterstatesPerTurn() int { return t.nodes() - 1 + t.start() - t.ends }

// fillAfterstates fills dst and movers [afterstatesPerTurn] with the afterstates of the turn
// that starts in at: by node, without the start, and then the live holds after the
// decision to roll.
func (s *Solution) fillAfterstates(dst []State, movers []game.Player, at State) {
	t := s.turn
	for i := range movers {
		movers[i] = game.Player(at.Seat)
	}
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

// turnStart returns the start of a turn, given its number.
func (s *Solution) turnStart(start int) State {
	score, m := s.starts.at(start)
	return State{Score: score, Seat: uint8(m)}
}

func withDice(s State, aside, roll Counts, phase Phase) State {
	s.Aside, s.Roll, s.Phase = aside, roll, phase
	return s
}

// turnPolicy is a policy in one turn.
type turnPolicy struct {
	roll          []float64 // [live] probability of rolling on
	option        []float64 // [options] probability of each option of the decisions
	reach         []float64 // [nodes] reach probabilities
	decisionReach []float64 // [decisions] reach probabilities

	// Working memory of choose.
	scores     []float64 // [options or 2·holds]
	rollOrStop []float64 // [2·holds] probabilities of rolling on and of stopping
	pairs      []uint32  // 0, 2, 4, ... 2·holds
}

func newTurnPolicy(t *turnGraph) *turnPolicy {
	holds := t.start() - t.ends // in which a seat decides whether to roll on
	tp := &turnPolicy{
		roll: make([]float64, t.live), option: make([]float64, len(t.options)),
		reach: make([]float64, t.nodes()), decisionReach: make([]float64, len(t.decisions)),
		scores: make([]float64, max(len(t.options), 2*holds)), rollOrStop: make([]float64, 2*holds),
	}
	for i := range holds + 1 {
		tp.pairs = append(tp.pairs, uint32(2*i))
	}
	return tp
}

// propagate adds to dist [ends] the probability of each end of the turn, and leaves
// the reach probabilities of live holds in reach and of decisions in decisionReach.
func (tp *turnPolicy) propagate(t *turnGraph, dist []float64) {
	clear(tp.reach)
	tp.reach[t.start()] = 1
	t.propagate(dist, tp.reach, tp.decisionReach, tp.roll, tp.option)
}

// choose fills roll and option from the scores of the afterstates, which are in the
// order of fillAfterstates.
func (tp *turnPolicy) choose(t *turnGraph, p game.AfterstateScorer[State], scores []float64) {
	for j, node := range t.options {
		if int(node) > t.start() {
			node--
		}
		tp.scores[j] = scores[node]
	}
	p.Choose(tp.option, tp.scores[:len(t.options)], t.first)
	rolls := scores[t.nodes()-1:]
	for i := range rolls {
		tp.scores[2*i], tp.scores[2*i+1] = rolls[i], scores[t.holds[t.ends+i].points] // roll on, or stop
	}
	p.Choose(tp.rollOrStop, tp.scores[:2*len(rolls)], tp.pairs)
	for i := range rolls {
		tp.roll[t.ends+i] = tp.rollOrStop[2*i]
	}
}
