package martiandice

import (
	"context"
	"errors"
	"fmt"
	"math"

	"marsgym/env/game"
)

// strategy is a policy written out: how a turn ends from each start of a turn,
// which is all that the rest of the game can see of it.
type strategy struct {
	s               *Solution
	ends            int
	dist            []float64 // [starts, ends], or [ends] if blind to the scores
	decisions, rows int
}

// Decisions keeps [game.Strategy].
func (g *strategy) Decisions() int { return g.decisions }

// Rows keeps [game.Strategy].
func (g *strategy) Rows() int { return g.rows }

// at is how a turn from the start of that number ends [ends].
func (g *strategy) at(start int) []float64 {
	if len(g.dist) == g.ends {
		return g.dist
	}
	return g.dist[start*g.ends:][:g.ends]
}

// Expand keeps [game.Solution]. It asks about the starts of turns of a table
// where seat 0 starts; observations say no more of the start than the places.
func (s *Solution) Expand(ctx context.Context, p game.Policy[State]) (game.Strategy, error) {
	switch p := p.(type) {
	case *best:
		return s.expandBest(ctx)
	case game.Scorer[State]:
		return s.expandScorer(ctx, p)
	case *greedy, game.Uniform[State]:
		return s.expand(ctx, p, 1)
	}
	return s.expand(ctx, p, s.starts.count())
}

// expandBest writes out best play.
func (s *Solution) expandBest(ctx context.Context) (game.Strategy, error) {
	n := s.starts.count()
	g := &strategy{s: s, ends: s.turn.ends, dist: make([]float64, n*s.turn.ends), decisions: n * s.perStart()}
	err := parallel(ctx, n, func(from, to int) error {
		for i := from; i < to; i++ {
			pl := s.newPlan(i)
			reach := make([]float64, s.turn.codes())
			reach[s.turn.start()] = 1
			s.turn.spreadBest(g.at(i), reach, pl.worth, pl.rolling)
		}
		return nil
	})
	return g, err
}

// perStart is the number of decisions of a turn: choices of a type, and holds.
func (s *Solution) perStart() int { return len(s.turn.choices) + s.turn.live - s.turn.ends - 1 }

// expand asks a policy about every decision of the first n starts.
func (s *Solution) expand(ctx context.Context, p game.Policy[State], n int) (game.Strategy, error) {
	t := s.turn
	g := &strategy{s: s, ends: t.ends, dist: make([]float64, n*t.ends), decisions: n * s.perStart(), rows: n * s.perStart()}
	states := make([]State, s.perStart())
	probs := make([]float64, len(states)*int(actions))
	play := newChances(t)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := s.state(i)
		for k, c := range t.choices {
			states[k] = with(at, c.state.Aside, c.state.Roll, Select)
		}
		for k, h := range t.holds[t.ends:t.start()] {
			states[len(t.choices)+k] = with(at, h.aside(), Counts{}, Decide)
		}
		if err := p.Probs(probs, states); err != nil {
			return nil, err
		}
		for k, c := range t.choices {
			row, pick := probs[k*int(actions):][:actions], play.pick[c.options.from:c.options.to]
			for j, a := range s.r.Legal(play.legal[:0], states[k]) {
				pick[j] = row[a]
			}
			if err := normalise(pick); err != nil {
				return nil, fmt.Errorf("at %s: %w", s.r.Format(states[k]), err)
			}
		}
		for k := range t.start() - t.ends {
			row := probs[(len(t.choices)+k)*int(actions):][Roll:actions]
			if err := normalise(row); err != nil {
				return nil, fmt.Errorf("at %s: %w", s.r.Format(states[len(t.choices)+k]), err)
			}
			play.roll[t.ends+k] = row[0]
		}
		play.spread(t, g.dist[i*t.ends:][:t.ends])
	}
	return g, nil
}

// expandScorer asks a scorer once about each state that a decision can lead to:
// the ends of a turn, the holds before the choice to roll, and those after it.
func (s *Solution) expandScorer(ctx context.Context, p game.Scorer[State]) (game.Strategy, error) {
	t := s.turn
	n, rows := s.starts.count(), t.codes()-1+t.live-t.ends-1
	g := &strategy{s: s, ends: t.ends, dist: make([]float64, n*t.ends), decisions: n * s.perStart(), rows: n * rows}
	const block = 16 // starts to a call: chosen, some 30,000 rows
	states := make([]State, 0, block*rows)
	movers := make([]game.Player, 0, block*rows)
	scores := make([]float64, block*rows)
	for from := 0; from < n; from += block {
		to := min(n, from+block)
		states, movers = states[:0], movers[:0]
		for i := from; i < to; i++ {
			states = s.appendAfterstates(states, s.state(i))
			for len(movers) < len(states) {
				movers = append(movers, game.Player(s.state(i).Seat))
			}
		}
		if err := p.Score(scores[:len(states)], states, movers); err != nil {
			return nil, err
		}
		err := parallel(ctx, to-from, func(a, b int) error {
			play := newChances(t)
			for i := a; i < b; i++ {
				row := scores[i*rows:][:rows]
				for _, x := range row {
					if math.IsNaN(x) {
						return errors.New("the policy's scores are not numbers")
					}
				}
				play.choose(t, p, row)
				play.spread(t, g.dist[(from+i)*t.ends:][:t.ends])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

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

func (c *chances) spread(t *turn, dist []float64) {
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
	if !(abs(sum-1) <= 1e-5) {
		return fmt.Errorf("probabilities %v of the legal actions add up to %g; want 1", p, sum)
	}
	for i := range p {
		p[i] /= sum
	}
	return nil
}

// Evaluate keeps [game.Solution]. Its error wraps game.ErrNoSolution where there
// are scores, reached or not, at which nobody at the table ever scores; that
// takes a config with AllowStopBeforeSelect.
func (s *Solution) Evaluate(ctx context.Context, dst []float64, seats []game.Strategy) ([]float64, error) {
	return s.play(ctx, dst, seats, game.Nobody)
}

// BestResponse keeps [game.Solution].
func (s *Solution) BestResponse(ctx context.Context, seats []game.Strategy, seat game.Player) (float64, error) {
	if seat < 0 || int(seat) >= s.starts.players {
		return 0, fmt.Errorf("martian-dice: seat %d; want 0 to %d", seat, s.starts.players-1)
	}
	values, err := s.play(ctx, nil, seats, seat)
	if err != nil {
		return 0, err
	}
	return values[seat], nil
}

// play appends the expected returns of a game in which free, if a seat, plays
// its best and the others their strategies.
func (s *Solution) play(ctx context.Context, dst []float64, seats []game.Strategy, free game.Player) ([]float64, error) {
	p := s.starts.players
	if len(seats) != p {
		return nil, fmt.Errorf("martian-dice: %d strategies for a table of %d", len(seats), p)
	}
	play := make([]*strategy, p)
	for i, g := range seats {
		if game.Player(i) == free {
			continue
		}
		own, ok := g.(*strategy)
		if !ok || own.s != s {
			return nil, fmt.Errorf("martian-dice: the strategy of seat %d is of another solution", i)
		}
		play[i] = own
	}
	first := []int{0}
	if s.r.cfg.FirstPlayer == FirstRandom {
		first = first[:0]
		for i := range p {
			first = append(first, i)
		}
	}
	returns := make([]float64, p)
	for _, start := range first {
		places := make([]*strategy, p)
		for m := range places {
			places[m] = play[(start+m)%p]
		}
		work := game.Work{Values: make([]float64, s.starts.count()*p)}
		if err := s.sweep(ctx, &work, places, nil); err != nil {
			return nil, err
		}
		for m := range p {
			returns[(start+m)%p] += s.ret(work.Values[m]) / float64(len(first))
		}
	}
	return append(dst, returns...), nil
}

// ret turns a share of the win into an expected return.
func (s *Solution) ret(share float64) float64 {
	if s.starts.players == 1 {
		return share
	}
	spec := &s.r.spec
	return spec.Loss + share*(spec.Win-spec.Loss)
}
