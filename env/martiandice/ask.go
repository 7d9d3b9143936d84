package martiandice

import (
	"context"
	"errors"
	"fmt"
	"math"

	"marsgym/env/game"
)

// block is the most starts that ask takes. Chosen: some 30,000 rows for a scorer.
const block = 16

// ask asks a policy for its decisions in the turns from some starts and calls f
// with what it does in each, by index in starts, on all cores. f may not keep
// play.
func (s *Solution) ask(ctx context.Context, p game.Policy[State], starts []int, f func(i int, play *chances) error) error {
	if p, ok := p.(game.Scorer[State]); ok {
		return s.askScorer(ctx, p, starts, f)
	}
	t := s.turn
	states := make([]State, s.perStart())
	probs := make([]float64, len(states)*int(actions))
	play := newChances(t)
	for i, start := range starts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 || !blind(p) {
			at := s.state(start)
			for k, c := range t.choices {
				states[k] = with(at, c.state.Aside, c.state.Roll, Select)
			}
			for k, h := range t.holds[t.ends:t.start()] {
				states[len(t.choices)+k] = with(at, h.aside(), Counts{}, Decide)
			}
			if err := p.Probs(probs, states); err != nil {
				return err
			}
			if err := s.read(play, probs, states); err != nil {
				return err
			}
		}
		if err := f(i, play); err != nil {
			return err
		}
	}
	return nil
}

// read fills play with the probabilities of a turn's decisions, choices first.
func (s *Solution) read(play *chances, probs []float64, states []State) error {
	t := s.turn
	for k, c := range t.choices {
		row, pick := probs[k*int(actions):][:actions], play.pick[c.options.from:c.options.to]
		for j, a := range s.r.Legal(play.legal[:0], states[k]) {
			pick[j] = row[a]
		}
		if err := normalise(pick); err != nil {
			return fmt.Errorf("at %s: %w", s.r.Format(states[k]), err)
		}
	}
	for k := range t.start() - t.ends {
		row := probs[(len(t.choices)+k)*int(actions):][Roll:actions]
		if err := normalise(row); err != nil {
			return fmt.Errorf("at %s: %w", s.r.Format(states[len(t.choices)+k]), err)
		}
		play.roll[t.ends+k] = row[0]
	}
	return nil
}

// perStart is the number of decisions of a turn: choices of a type, and holds.
func (s *Solution) perStart() int { return len(s.turn.choices) + s.turn.live - s.turn.ends - 1 }

// blind reports whether a policy never looks at the scores.
func blind(p game.Policy[State]) bool {
	switch p.(type) {
	case *greedy, game.Uniform[State]:
		return true
	}
	return false
}

// askScorer asks a scorer once about each state that a decision can lead to:
// the ends of a turn, the holds before the choice to roll, and those after it.
func (s *Solution) askScorer(ctx context.Context, p game.Scorer[State], starts []int, f func(i int, play *chances) error) error {
	t := s.turn
	rows := t.afterstates()
	states := make([]State, 0, len(starts)*rows)
	movers := make([]game.Player, 0, len(starts)*rows)
	for _, start := range starts {
		at := s.state(start)
		states = s.appendAfterstates(states, at)
		for len(movers) < len(states) {
			movers = append(movers, game.Player(at.Seat))
		}
	}
	scores := make([]float64, len(states))
	if err := p.Score(scores, states, movers); err != nil {
		return err
	}
	return parallel(ctx, len(starts), func(from, to int) error {
		play := newChances(t)
		for i := from; i < to; i++ {
			row := scores[i*rows:][:rows]
			for _, x := range row {
				if math.IsNaN(x) {
					return errors.New("the policy's scores are not numbers")
				}
			}
			play.choose(t, p, row)
			if err := f(i, play); err != nil {
				return err
			}
		}
		return nil
	})
}

// afterstates is the number of states that appendAfterstates appends.
func (t *turn) afterstates() int { return t.codes() - 1 + t.start() - t.ends }

// appendAfterstates appends what decisions of the turn that starts at s lead
// to: by code, the start left out, then the live holds after the choice to roll.
func (s *Solution) appendAfterstates(dst []State, at State) []State {
	t := s.turn
	for k := range t.ends {
		dst = append(dst, s.r.score(at, k))
	}
	for _, h := range t.holds[t.ends:t.start()] {
		dst = append(dst, with(at, h.aside(), Counts{}, Decide))
	}
	for _, h := range t.dead {
		dst = append(dst, with(at, h.aside(), Counts{}, Decide))
	}
	for _, h := range t.holds[t.ends:t.start()] {
		dst = append(dst, with(at, h.aside(), Counts{}, Rolling))
	}
	return dst
}

// state is the start of a turn of that number.
func (s *Solution) state(start int) State {
	score, m := s.starts.at(start)
	return State{Score: score, Seat: uint8(m)}
}

func with(s State, aside, roll Counts, phase Phase) State {
	s.Aside, s.Roll, s.Phase = aside, roll, phase
	return s
}

// chances are a policy's probabilities for the decisions of one turn.
type chances struct {
	roll    []float64 // [live]
	pick    []float64 // [options]
	reach   []float64 // [codes]
	options []float64 // scratch
	legal   [actions]game.Action
}

func newChances(t *turn) *chances {
	return &chances{
		roll: make([]float64, t.live), pick: make([]float64, len(t.options)),
		reach: make([]float64, t.codes()), options: make([]float64, actions),
	}
}

// spread adds to dist [ends] how the turn ends, and leaves in reach how likely
// each live hold comes up on the way.
func (c *chances) spread(t *turn, dist []float64) {
	clear(c.reach)
	c.reach[t.start()] = 1
	t.spread(dist, c.reach, c.roll, c.pick)
}

// choose turns scores in the order of appendAfterstates into probabilities.
func (c *chances) choose(t *turn, p game.Scorer[State], scores []float64) {
	of := func(code uint16) float64 {
		if int(code) > t.start() {
			code--
		}
		return scores[code]
	}
	for _, x := range t.choices {
		o := t.options[x.options.from:x.options.to]
		for j, code := range o {
			c.options[j] = of(code)
		}
		p.Choose(c.pick[x.options.from:x.options.to], c.options[:len(o)])
	}
	var probs [2]float64
	for i := t.ends; i < t.start(); i++ {
		c.options[0] = scores[t.codes()-1+i-t.ends] // roll
		c.options[1] = of(uint16(t.holds[i].points))
		p.Choose(probs[:], c.options[:2])
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
