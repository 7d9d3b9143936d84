package pig

import (
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/random"
)

// TurnStart implements [game.TurnStarter]: a turn starts with nothing rolled.
func (r *Rules) TurnStart(s State) (mover game.Player, ok bool) {
	return game.Player(s.Seat), s.Phase == Deciding && s.Total == 0
}

// TurnOf implements [game.TurnFinder].
func (r *Rules) TurnOf(s State) State {
	s.Total = 0
	return s
}

// SampleStart implements [game.StartSampler]: each seat has any score below the
// target except 1, which no turn scores.
func (r *Rules) SampleStart(dice *rand.PCG) State {
	s := State{Seat: uint8(random.Below(dice, r.cfg.Players))}
	for i := range r.cfg.Players {
		if s.Score[i] = uint8(random.Below(dice, r.cfg.Target-1)); s.Score[i] > 0 {
			s.Score[i]++
		}
	}
	return s
}

// NewPlan implements [game.TurnPlanner].
func (r *Rules) NewPlan() game.Plan[State] { return &turnPlan{r: r} }

// turnPlan is best play of a turn. The turn can end with 0 points, or with 2 and more:
// below need the seat holds, and from need on it wins.
type turnPlan struct {
	r         *Rules
	seat      int
	need      int // points that win
	ends      []State
	pay       []float64 // [ends, P] values of the ends
	rollValue []float64 // [need, P] values of rolling, by turn total
}

// Begin implements [game.Plan].
func (p *turnPlan) Begin(s State) []State {
	p.seat, p.need, p.ends = int(s.Seat), p.r.cfg.Target-int(s.Score[s.Seat]), p.ends[:0]
	most := p.need + 5
	if p.need == 2 { // 7 would need a total of 1
		most = 6
	}
	for total := range most + 1 {
		if total == 1 {
			continue
		}
		end := s
		if end.Score[p.seat] += uint8(total); total < p.need {
			p.r.pass(&end)
		} else {
			end.Phase = Over
		}
		p.ends = append(p.ends, end)
	}
	return p.ends
}

// Known implements [game.Plan].
func (p *turnPlan) Known(dst []float64, s State) ([]float64, bool) {
	if s.Phase != Over {
		return dst, false
	}
	return p.r.Returns(dst, s), true
}

// Solve implements [game.Plan], from the highest turn total down.
func (p *turnPlan) Solve(values []float64) {
	n := p.r.cfg.Players
	p.pay = append(p.pay[:0], values...)
	p.rollValue = slices.Grow(p.rollValue[:0], p.need*n)[:p.need*n]
	for total := p.need - 1; total >= 0; total-- {
		if total == 1 {
			continue
		}
		row := p.rollValue[total*n:][:n]
		copy(row, p.holdValue(0))
		for face := 2; face <= 6; face++ {
			for j, v := range p.value(total + face) {
				row[j] += v
			}
		}
		for j := range row {
			row[j] /= 6
		}
	}
}

// holdValue returns the values [P] of ending the turn with a total.
func (p *turnPlan) holdValue(total int) []float64 {
	n := p.r.cfg.Players
	return p.pay[max(0, total-1)*n:][:n] // no end has a total of 1
}

// value returns the values [P] of a turn total under best play.
func (p *turnPlan) value(total int) []float64 {
	if total >= p.need {
		return p.holdValue(total)
	}
	rolled := p.rollValue[total*p.r.cfg.Players:][:p.r.cfg.Players]
	if total > 0 && p.holdValue(total)[p.seat] > rolled[p.seat]+game.Tie {
		return p.holdValue(total)
	}
	return rolled
}

// Value implements [game.Plan].
func (p *turnPlan) Value(dst []float64) []float64 { return append(dst, p.value(0)...) }

// Options implements [game.Plan].
func (p *turnPlan) Options(dst []float64, s State) []float64 {
	total := int(s.Total)
	dst = append(dst, p.rollValue[total*p.r.cfg.Players+p.seat])
	if total > 0 {
		dst = append(dst, p.holdValue(total)[p.seat])
	}
	return dst
}
