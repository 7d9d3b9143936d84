package martiandice

import (
	"fmt"
	"math"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// maxCachedTurns bounds the cache of turnSolutions, of 12 kB each.
const maxCachedTurns = 5000

// turnSolution is best play of the turn from one start.
type turnSolution struct {
	pay        []float64   // [ends, P] value of each end to each place
	turnValues             // to the mover
	parts      []mixedPart // of best play; two where the equilibrium is mixed (see solveMixed)
	dist       []float64   // [ends] probability of each end
}

// mixedPart is one policy of a mixture: the best by some values, with its probability.
type mixedPart struct {
	by   turnValues
	prob float64
}

// turnValues are the values of a turn under best play from each node on [nodes], and
// of rolling on [live].
type turnValues struct{ value, rolling []float64 }

func (t *turnGraph) newValues() turnValues {
	return turnValues{make([]float64, t.nodes()), make([]float64, t.live)}
}

// solveTurn computes best play of the turn from a start, given by its number.
func (s *Solution) solveTurn(start int) *turnSolution {
	pay, m := s.payoffsAt(start)
	sol := &turnSolution{pay: pay, turnValues: s.bestTurn(pay, m, 0)}
	sol.parts, sol.dist = []mixedPart{{sol.turnValues, 1}}, s.endingOf(sol.turnValues)
	if s.mixes(start, pay, sol.dist) {
		s.findMixture(sol, start, m)
	}
	return sol
}

// payoffsAt returns the value of each end of the turn from a start to each place
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

// bestTurn returns the values of best play to place m, with more added to the value
// of a turn without points.
func (s *Solution) bestTurn(pay []float64, m int, more float64) turnValues {
	p, t := s.starts.players, s.turn
	w := t.newValues()
	for k := range t.ends {
		w.value[k] = pay[k*p+m]
	}
	w.value[0] += more
	t.solve(w.value, w.rolling)
	return w
}

// mixes reports whether best play from a start is mixed, given the ends dist [ends] of
// a pure best response. If so, the value of the start to some other place differs from
// that of the pure response.
func (s *Solution) mixes(start int, pay, dist []float64) bool {
	const same = 1e-11 // chosen: above rounding errors
	p := s.starts.players
	if score, _ := s.starts.at(start); p < 3 || s.starts.firstToMove(score) > 0 {
		return false
	}
	differ := 0.0
	for j, x := range expectedShares(pay, dist) {
		differ = max(differ, math.Abs(x-s.value[start*p+j]))
	}
	return !(differ < same)
}

// findMixture fills in the mixture of best responses, next to a breakpoint, that gives
// the values of the start.
func (s *Solution) findMixture(sol *turnSolution, start, m int) {
	want := s.value[start*s.starts.players:][:s.starts.players]
	below, above := s.bestTurn(sol.pay, m, -breakpointGap), s.bestTurn(sol.pay, m, breakpointGap)
	lower, upper := s.endingOf(below), s.endingOf(above)
	a, b := expectedShares(sol.pay, lower), expectedShares(sol.pay, upper)
	along, length := 0.0, 0.0
	for j := range want {
		along += float64((want[j] - a[j]) * (b[j] - a[j]))
		length += float64((b[j] - a[j]) * (b[j] - a[j]))
	}
	if length > 0 {
		prob := min(max(along/length, 0), 1)
		sol.parts = []mixedPart{{below, 1 - prob}, {above, prob}}
		for k := range sol.dist {
			sol.dist[k] = float64((1-prob)*lower[k]) + float64(prob*upper[k])
		}
	}
}

// expectedShares returns the expected share of the win of each place [P], given the
// probability dist [ends] and the values pay [ends, P] of each end of the turn.
func expectedShares(pay, dist []float64) []float64 {
	p := len(pay) / len(dist)
	values := make([]float64, p)
	for k, q := range dist {
		for j := range values {
			values[j] += float64(q * pay[k*p+j])
		}
	}
	return values
}

// startedTurn is a turnSolution with its start.
type startedTurn struct {
	start int
	*turnSolution
}

// turnFrom returns solveTurn(start), from the cache where there are few starts. Elsewhere
// it keeps the last turn, whose positions are often looked up one after the other.
func (s *Solution) turnFrom(start int) *turnSolution {
	if s.turns == nil {
		last := s.lastTurn.Load()
		if last == nil || last.start != start {
			last = &startedTurn{start, s.solveTurn(start)}
			s.lastTurn.Store(last)
		}
		return last.turnSolution
	}
	sol := s.turns[start].Load()
	if sol == nil {
		sol = s.solveTurn(start)
		s.turns[start].Store(sol)
	}
	return sol
}

// places returns the scores in the order of play of a round, and the place of the seat
// whose turn it is.
func (s *Solution) places(st State) (score [maxPlayers]uint8, m int) {
	p := s.starts.players
	game.MoverOrder(score[:p], st.Score[:p], game.Player(st.Start))
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
			dst = append(dst, (spec.Win+float64(float64(p-1)*spec.Loss))/float64(p))
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
	sol := s.turnFrom(start)
	dist := make([]float64, s.turn.ends)
	for _, part := range sol.parts {
		s.addEnding(dist, st, part.by, part.prob)
	}
	values := expectedShares(sol.pay, dist)
	for j := range values {
		values[j] -= s.turnCost()
	}
	return s.appendReturns(dst, st, values), nil
}

// addEnding adds to dist [ends] p times the probability of each end of the turn from
// st on, under the best play by the given values.
func (s *Solution) addEnding(dist []float64, st State, by turnValues, p float64) {
	t, stopped := s.turn, false
	if st.Phase == Select {
		a := s.r.bestAction(t, by, st)
		st.Aside, stopped = st.asideAfter(a), a == Stop
	}
	node := s.r.nodeOf(t, st.Aside, stopped)
	reach := make([]float64, t.nodes())
	reach[node] = p
	if live := int(node) >= t.ends && int(node) < t.live; live && st.Phase == Rolling {
		reach[node] = 0
		t.rollOn(reach, int(node), p, by.value)
	}
	t.propagateBest(dist, reach, by.value, by.rolling)
}

// appendReturns appends shares [P] by place as expected returns [P] by seat.
func (s *Solution) appendReturns(dst []float64, st State, shares []float64) []float64 {
	var bySeat [maxPlayers]float64
	game.SeatOrder(bySeat[:], shares, game.Player(st.Start))
	for _, share := range bySeat[:len(shares)] {
		dst = append(dst, s.ret(share))
	}
	if len(shares) == 1 {
		dst[len(dst)-1] -= float64(st.Count) // turns taken already
	}
	return dst
}

// Options implements [game.Solution]. Where best play is pure, the values of the turn hold those of its
// options, up to rounding.
func (s *Solution) Options(dst []float64, st State) ([]float64, error) {
	if s.starts.players == 1 || st.Phase != Select && st.Phase != Decide {
		return tabular.OptionValues(dst, s.r, st, s.Value)
	}
	if err := s.r.check(st); err != nil {
		return dst, fmt.Errorf("position %s: %w", s.r.Format(st), err)
	}
	score, m := s.places(st)
	parts := s.turnFrom(s.starts.index(score[:], m)).parts
	if len(parts) > 1 {
		return tabular.OptionValues(dst, s.r, st, s.Value)
	}
	var acts [actions]game.Action
	var shares [actions]float64
	for _, share := range s.r.options(shares[:0], s.turn, parts[0].by, st, s.r.Legal(acts[:0], st)) {
		dst = append(dst, s.ret(share))
	}
	return dst, nil
}

// bestPolicy is best play as a [game.Policy].
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
		for _, part := range s.turnFrom(s.starts.index(score[:], m)).parts {
			row[s.r.bestAction(s.turn, part.by, st)] += part.prob
		}
	}
	return nil
}
