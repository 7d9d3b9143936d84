package martiandice

import (
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/kernel/expectimax"
	"marsgym/internal/parallel"
	"marsgym/internal/random"
)

// TurnStart implements [game.TurnPlanner]: a turn starts before its first roll.
func (r *Rules) TurnStart(s State) (mover game.Player, ok bool) {
	return game.Player(s.Seat), s.Phase == Rolling && s.Aside == (Counts{})
}

// TurnOf implements [game.TurnPlanner].
func (r *Rules) TurnOf(s State) State { return withDice(s, Counts{}, Counts{}, Rolling) }

// SampleStart implements [game.TurnPlanner]: all starts of turns have the same
// probability.
func (r *Rules) SampleStart(dice *rand.PCG) State {
	t := newStarts(r.cfg)
	score, m := t.at(random.Below(dice, t.count()))
	first := 0
	if r.firstSeats() > 1 {
		first = random.Below(dice, r.cfg.Players)
	}
	s := r.Initial()
	s.Phase = Rolling
	s.Start, s.Seat = uint8(first), uint8((first+m)%r.cfg.Players)
	game.SeatOrder(s.Score[:r.cfg.Players], score[:r.cfg.Players], game.Player(first))
	if r.cfg.MaxRounds > 0 {
		s.Count = 1 + uint32(random.Below(dice, r.cfg.MaxRounds))
	}
	return s
}

// NewPlan implements [game.TurnPlanner].
func (r *Rules) NewPlan() game.Plan[State] {
	t := r.graph()
	p := &turnPlan{
		r: r, turn: t, turnValues: t.newValues(),
		reach: make([]float64, t.nodes()), dist: make([]float64, t.ends),
	}
	for k := range t.ends {
		if r.cfg.canScore(k) {
			p.points = append(p.points, k)
		}
	}
	p.ends = make([]State, len(p.points))
	return p
}

// canScore reports whether a turn can score that many points: up to one for each die, or
// three and more with the bonus.
func (c Config) canScore(points int) bool {
	return points <= c.Dice || points-c.Bonus >= 3 && points-c.Bonus <= c.Dice
}

// turnPlan is best play of a turn, given the values of its ends.
type turnPlan struct {
	r           *Rules
	turn        *turnGraph
	seat        int
	points      []int     // points that a turn can score, ascending
	ends        []State   // [points]
	pay         []float64 // [points, P] values of the ends by seat
	turnValues            // to the mover
	reach, dist []float64 // [nodes], [ends of the turn] probabilities; not used for two players
}

// Begin implements [game.Plan].
func (p *turnPlan) Begin(s State) []State {
	p.seat = int(s.Seat)
	for i, k := range p.points {
		p.ends[i] = p.r.score(s, k)
	}
	return p.ends
}

// Known implements [game.Plan].
func (p *turnPlan) Known(dst []float64, end State) ([]float64, bool) {
	switch end.Phase {
	case Over, TieBreak:
		return p.r.decidedReturns(dst, end), true
	}
	return dst, false
}

// decidedReturns appends the expected returns [P] of a state after the last decision.
func (r *Rules) decidedReturns(dst []float64, s State) []float64 {
	if s.Phase == Over {
		return r.Returns(dst, s)
	}
	for i := range r.cfg.Players { // all tied seats have the same probability
		share := float64(s.Tied>>i&1) / float64(bits.OnesCount16(s.Tied))
		dst = append(dst, r.spec.Return(share))
	}
	return dst
}

// setValues sets the values [points, P] of the ends.
func (p *turnPlan) setValues(values []float64) {
	n := p.r.cfg.Players
	p.pay = append(p.pay[:0], values...)
	for i, k := range p.points {
		p.value[k] = values[i*n+p.seat]
	}
}

// SolveAll implements [game.TurnPlanner].
func (r *Rules) SolveAll(plans []game.Plan[State], values [][]float64) {
	t := r.graph()
	b := t.takeBatch()
	defer t.batches.Put(b)
	for len(plans) > 0 {
		n := min(expectimax.Width, len(plans))
		for l, x := range plans[:n] {
			p := x.(*turnPlan)
			p.setValues(values[l])
			for k, v := range p.value[:t.ends] {
				b.value[k][l] = v
			}
		}
		b.solveInWaves()
		if r.cfg.Players != 2 {
			b.propagate()
		}
		parallel.For(n, 2, func(from, to int) {
			for l := from; l < to; l++ {
				plans[l].(*turnPlan).copyLane(b, l)
			}
		})
		plans, values = plans[n:], values[n:]
	}
}

// copyLane copies the solution of lane l.
func (p *turnPlan) copyLane(b *turnBatch, l int) {
	for i := p.turn.ends; i < p.turn.live; i++ {
		p.value[i], p.rolling[i] = b.value[i][l], b.rolling[i][l]
	}
	for i := p.turn.live; i < len(p.value); i++ {
		p.value[i] = p.value[0] // a hopeless hold ends without points
	}
	if p.r.cfg.Players != 2 {
		for k := range p.dist {
			p.dist[k] = b.dist[k][l]
		}
	}
}

// Value implements [game.Plan].
func (p *turnPlan) Value(dst []float64) []float64 {
	if p.r.cfg.Players == 2 { // a constant-sum game
		v := p.rolling[p.turn.start()]
		other := p.r.spec.Win + p.r.spec.Loss - v
		if p.seat == 0 {
			return append(dst, v, other)
		}
		return append(dst, other, v)
	}
	n := p.r.cfg.Players
	for j := range n {
		sum := 0.0
		for i, k := range p.points {
			sum += float64(p.dist[k] * p.pay[i*n+j])
		}
		dst = append(dst, sum)
	}
	return dst
}

// Options implements [game.Plan].
func (p *turnPlan) Options(dst []float64, s State) []float64 {
	var legal [actions]game.Action
	return p.r.options(dst, p.turn, p.turnValues, s, p.r.Legal(legal[:0], s))
}
