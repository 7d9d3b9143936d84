package martiandice

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
)

// maxPlans bounds the plans that are kept, of 12 kB each.
const maxPlans = 5000

// plan is best play of a turn from one start.
type plan struct {
	pay            []float64 // [ends, P]
	worth, rolling []float64 // [codes], [live]; to the mover
}

// newPlan works out best play of the turn from the start of that number.
func (s *Solution) newPlan(start int) *plan {
	p, t := s.starts.players, s.turn
	score, m := s.starts.at(start)
	pl := &plan{make([]float64, t.ends*p), make([]float64, t.codes()), make([]float64, t.live)}
	s.payoffs(pl.pay, s.value, score, m)
	if m < p-1 || !s.ends(score) {
		copy(pl.pay[:p], s.value[s.starts.index(score[:], (m+1)%p)*p:])
	}
	for k := range t.ends {
		pl.worth[k] = pl.pay[k*p+m]
	}
	t.solve(pl.worth, pl.rolling)
	return pl
}

// plan is newPlan, kept where there are few starts.
func (s *Solution) plan(start int) *plan {
	if s.plans == nil {
		return s.newPlan(start)
	}
	pl := s.plans[start].Load()
	if pl == nil {
		pl = s.newPlan(start)
		s.plans[start].Store(pl)
	}
	return pl
}

// places puts the scores and the mover of a turn in the order of play.
func (s *Solution) places(st State) (score [maxPlayers]uint8, m int) {
	p := s.starts.players
	for i := range p {
		score[i] = st.Score[(int(st.Start)+i)%p]
	}
	return score, (int(st.Seat) + p - int(st.Start)) % p
}

// Value keeps [game.Solution].
func (s *Solution) Value(dst []float64, st State) ([]float64, error) {
	p, spec := s.starts.players, &s.r.spec
	switch st.Phase {
	case Over:
		return s.r.Returns(dst, st), nil
	case TieBreak: // all have the same chance
		for i := range p {
			dst = append(dst, s.ret(float64(st.Tied>>i&1)/float64(bits.OnesCount16(st.Tied))))
		}
		return dst, nil
	case Drawing:
		for range p {
			dst = append(dst, (spec.Win+float64(p-1)*spec.Loss)/float64(p))
		}
		return dst, nil
	}
	if err := s.r.check(st); err != nil {
		return dst, fmt.Errorf("position %s: %w", s.r.Format(st), err)
	}
	score, m := s.places(st)
	start := s.starts.index(score[:], m)
	if st.Phase == Rolling && st.Aside == (Counts{}) {
		return s.appendSeats(dst, st, s.value[start*p:][:p]), nil
	}
	pl, t := s.plan(start), s.turn
	dist, reach := make([]float64, t.ends), make([]float64, t.codes())
	if st.Phase == Select {
		a := s.r.bestAction(t, pl.worth, pl.rolling, st)
		after, err := s.r.Apply(st, a)
		if err != nil {
			return dst, err
		}
		if after.Seat != st.Seat || after.Phase != Decide {
			return s.Value(dst, after)
		}
		st = after
	}
	code := s.r.leads(t, st.Aside, false)
	reach[code] = 1
	if live := int(code) >= t.ends && int(code) < t.live; live && st.Phase == Rolling {
		reach[code] = 0
		t.rollOn(reach, int(code), 1, pl.worth)
	}
	t.spreadBest(dist, reach, pl.worth, pl.rolling)
	values := make([]float64, p)
	for j := range values {
		values[j] = -s.turnCost()
		for k, q := range dist {
			values[j] += q * pl.pay[k*p+j]
		}
	}
	return s.appendSeats(dst, st, values), nil
}

// appendSeats appends shares by place as returns by seat.
func (s *Solution) appendSeats(dst []float64, st State, shares []float64) []float64 {
	p := len(shares)
	for i := range p {
		dst = append(dst, s.ret(shares[(i+p-int(st.Start))%p]))
	}
	if p == 1 {
		dst[len(dst)-1] -= float64(st.Count) // turns taken already
	}
	return dst
}

// Options keeps [game.Solution].
func (s *Solution) Options(dst []float64, st State) ([]float64, error) {
	var values []float64
	for _, a := range s.r.Legal(nil, st) {
		after, err := s.r.Apply(st, a)
		if err != nil {
			return dst, err
		}
		if values, err = s.Value(values[:0], after); err != nil {
			return dst, err
		}
		dst = append(dst, values[st.Seat])
	}
	return dst, nil
}

// best is best play as a policy.
type best struct{ s *Solution }

// Policy keeps [game.Solution].
func (s *Solution) Policy() game.Policy[State] { return &best{s} }

// Probs keeps [game.Policy].
func (b *best) Probs(dst []float64, states []State) error {
	s := b.s
	for i, st := range states {
		score, m := s.places(st)
		pl := s.plan(s.starts.index(score[:], m))
		certain(dst[i*int(actions):][:actions], s.r.bestAction(s.turn, pl.worth, pl.rolling, st))
	}
	return nil
}
