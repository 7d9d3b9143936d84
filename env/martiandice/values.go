package martiandice

import (
	"fmt"
	"math"

	"marsgym/env/game"
)

// maxPlans bounds the plans that are kept, of 12 kB each.
const maxCachedTurns = 5000

// plan is best play of a turn from one start.
type turnSolution struct {
	pay        []float64   // [ends, P]
	turnValues             // to the mover
	parts      []mixedPart // of best play; two where the equilibrium mixes (see solveMixed)
	dist       []float64   // [ends]; how the turn ends
}

// way is a way to play: what is best by some worth, and how often.
type mixedPart struct {
	by   turnValues
	prob float64
}

// worth is what best play of a turn is worth from each code on [codes], and
// what rolling on is worth [live].
type turnValues struct{ value, rolling []float64 }

// newPlan works out best play of the turn from the start of that number.
func (s *Solution) solveTurn(start int) *turnSolution {
	pay, m := s.payoffsAt(start)
	pl := &turnSolution{pay: pay, turnValues: s.bestTurn(pay, m, 0)}
	pl.parts, pl.dist = []mixedPart{{pl.turnValues, 1}}, s.endingOf(pl.turnValues)
	if s.mixes(start, pay, pl.dist) {
		s.findMixture(pl, start, m)
	}
	return pl
}

// payAt is what the ends of the turn from a start are worth to each place
// [ends, P], and the place to move.
func (s *Solution) payoffsAt(start int) (pay []float64, m int) {
	p := s.starts.players
	score, m := s.starts.at(start)
	pay = make([]float64, s.turn.ends*p)
	s.fillPayoffs(pay, s.value, score, m)
	if m < p-1 || !s.endsGame(score) {
		copy(pay[:p], s.value[s.starts.index(score[:], (m+1)%p)*p:])
	}
	return pay, m
}

// weigh is what best play is worth to place m, no points being worth so
// much more than pay says.
func (s *Solution) bestTurn(pay []float64, m int, more float64) turnValues {
	p, t := s.starts.players, s.turn
	w := turnValues{make([]float64, t.nodes()), make([]float64, t.live)}
	for k := range t.ends {
		w.value[k] = pay[k*p+m]
	}
	w.value[0] += more
	t.solve(w.value, w.rolling)
	return w
}

// mixes reports whether best play from a start is not the one way that ends like
// dist [ends]: the values of the start say so, since to the other places the ways
// to play are worth different amounts.
func (s *Solution) mixes(start int, pay, dist []float64) bool {
	const same = 1e-11 // chosen: rounding is below
	p := s.starts.players
	if score, _ := s.starts.at(start); p < 3 || s.starts.firstToMove(score) > 0 {
		return false
	}
	off := 0.0
	for j, x := range expectedShares(pay, dist) {
		off = max(off, math.Abs(x-s.value[start*p+j]))
	}
	return !(off < same)
}

// unmix finds how a plan mixes.
func (s *Solution) findMixture(pl *turnSolution, start, m int) {
	want := s.value[start*s.starts.players:][:s.starts.players]
	below, above := s.bestTurn(pl.pay, m, -breakpointGap), s.bestTurn(pl.pay, m, breakpointGap)
	lower, upper := s.endingOf(below), s.endingOf(above)
	a, b := expectedShares(pl.pay, lower), expectedShares(pl.pay, upper)
	along, length := 0.0, 0.0
	for j := range want {
		along += (want[j] - a[j]) * (b[j] - a[j])
		length += (b[j] - a[j]) * (b[j] - a[j])
	}
	if length > 0 {
		share := min(max(along/length, 0), 1)
		pl.parts = []mixedPart{{below, 1 - share}, {above, share}}
		for k := range pl.dist {
			pl.dist[k] = (1-share)*lower[k] + share*upper[k]
		}
	}
}

// expect is the expected share of the win of each place [P] when the turn ends
// like dist [ends], and its ends are worth pay [ends, P].
func expectedShares(pay, dist []float64) []float64 {
	p := len(pay) / len(dist)
	values := make([]float64, p)
	for k, q := range dist {
		for j := range values {
			values[j] += q * pay[k*p+j]
		}
	}
	return values
}

// plan is newPlan, kept where there are few starts.
func (s *Solution) turnFrom(start int) *turnSolution {
	if s.turns == nil {
		return s.solveTurn(start)
	}
	pl := s.turns[start].Load()
	if pl == nil {
		pl = s.solveTurn(start)
		s.turns[start].Store(pl)
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

// Value implements [game.Solution].
func (s *Solution) Value(dst []float64, st State) ([]float64, error) {
	p, spec := s.starts.players, &s.r.spec
	switch st.Phase {
	case Over, TieBreak:
		return s.r.decidedReturns(dst, st), nil
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
		return s.appendReturns(dst, st, s.value[start*p:][:p]), nil
	}
	pl := s.turnFrom(start)
	dist := make([]float64, s.turn.ends)
	for _, w := range pl.parts {
		s.addEnding(dist, st, w.by, w.prob)
	}
	values := expectedShares(pl.pay, dist)
	for j := range values {
		values[j] -= s.turnCost()
	}
	return s.appendReturns(dst, st, values), nil
}

// follow adds to dist [ends] how the turn under way in st ends under best play,
// times p.
func (s *Solution) addEnding(dist []float64, st State, by turnValues, p float64) {
	t, stopped := s.turn, false
	if st.Phase == Select {
		a := s.r.bestAction(t, by.value, by.rolling, st)
		st.Aside, stopped = st.asideAfter(a), a == Stop
	}
	code := s.r.nodeOf(t, st.Aside, stopped)
	reach := make([]float64, t.nodes())
	reach[code] = p
	if live := int(code) >= t.ends && int(code) < t.live; live && st.Phase == Rolling {
		reach[code] = 0
		t.rollOn(reach, int(code), p, by.value)
	}
	t.propagateBest(dist, reach, by.value, by.rolling)
}

// appendSeats appends shares by place as returns by seat.
func (s *Solution) appendReturns(dst []float64, st State, shares []float64) []float64 {
	p := len(shares)
	for i := range p {
		dst = append(dst, s.ret(shares[(i+p-int(st.Start))%p]))
	}
	if p == 1 {
		dst[len(dst)-1] -= float64(st.Count) // turns taken already
	}
	return dst
}

// Options implements [game.Solution].
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
type bestPolicy struct{ s *Solution }

// Policy implements [game.Solution].
func (s *Solution) Policy() game.Policy[State] { return &bestPolicy{s} }

// Probs implements [game.Policy].
func (b *bestPolicy) Probs(dst []float64, states []State) error {
	s := b.s
	for i, st := range states {
		score, m := s.places(st)
		row := dst[i*int(actions):][:actions]
		clear(row)
		for _, w := range s.turnFrom(s.starts.index(score[:], m)).parts {
			row[s.r.bestAction(s.turn, w.by.value, w.by.rolling, st)] += w.prob
		}
	}
	return nil
}
