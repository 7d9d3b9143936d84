package martiandice

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"marsgym/env/game"
	"marsgym/env/tabular"
	"marsgym/internal/kernel/expectimax"
)

// maxStarts is the largest number of starts of turns that is solved: 24 GB of values
// for five players.
const maxStarts = 600_000_000

// Solution is the exact solution of Martian Dice. It consists of the value of each
// start of a turn, since best play of a turn depends only on the scores and the seat
// to move. All other values are computed from those in less than a millisecond.
//
// With three or more players it is an equilibrium: each seat maximises its own share
// of the win, and ties go to the lowest action. The cycle of turns without points is
// solved by policy iteration from the values at scores with a point more. Where that does not converge, as at a
// few scores of four players, the equilibrium is mixed.
type Solution struct {
	tabular.Responses[*tabularPolicy]
	r      *Rules
	turn   *turnGraph
	starts starts

	// value [starts, P] is the expected share of the win of each place; in solitaire
	// minus the expected number of turns to come.
	value    []float64
	residual float64
	turns    []atomic.Pointer[turnSolution] // by start, where there are few
	lastTurn atomic.Pointer[startedTurn]    // see turnFrom
}

// Solve implements [game.Solver]. Two players take a tenth of a second of one core. A game
// limited by rounds is solved if it is small (see [Rules.Estimate]).
func (r *Rules) Solve(ctx context.Context, progress func(float64)) (game.Solution[State], error) {
	if r.cfg.MaxRounds > 0 {
		return r.solveLimited(ctx, progress)
	}
	return r.SolveFrom(ctx, new(game.SolverState), progress)
}

// SolveFrom implements [game.ResumableSolver].
func (r *Rules) SolveFrom(ctx context.Context, work *game.SolverState, progress func(float64)) (game.StoredSolution[State], error) {
	values, _, err := r.StateSize()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if work.Values == nil {
		work.Values = make([]float64, values)
	} else if len(work.Values) != values {
		return nil, fmt.Errorf("martian-dice: the state has %d values; want %d", len(work.Values), values)
	}
	s := &Solution{r: r, turn: r.graph(), starts: newStarts(r.cfg)}
	if work.Done < 1 {
		if err := s.sweep(ctx, work, make([]*tabularPolicy, r.cfg.Players), progress); err != nil {
			return nil, err
		}
	}
	s.value, s.residual = work.Values, work.Residual
	own := func(t *tabularPolicy) bool { return t.s == s }
	s.Responses = tabular.NewResponses("martian-dice", r.cfg.Players, own, s.playTables)
	if n := s.starts.count(); n <= maxCachedTurns {
		s.turns = make([]atomic.Pointer[turnSolution], n)
	}
	return s, nil
}

// StateSize implements [game.ResumableSolver]. Solutions of games limited by rounds are not
// stored.
func (r *Rules) StateSize() (values int, steps int64, err error) {
	if r.cfg.MaxRounds > 0 {
		return 0, 0, fmt.Errorf("martian-dice: solutions with max_rounds are not stored: %w", game.ErrNoSolution)
	}
	t := newStarts(r.cfg)
	n := t.count()
	if n > maxStarts {
		return 0, 0, fmt.Errorf("martian-dice for %d players has %d starts of turns, more than %d: %w", r.cfg.Players, n, maxStarts, game.ErrNoSolution)
	}
	return n * t.players, int64(t.totals()), nil
}

// Equations implements [game.StoredSolution]: there is one for each start of a turn.
func (s *Solution) Equations() int { return s.starts.count() }

// Violation implements [game.StoredSolution]. It compares the values of a start to
// all places with their expectation after one turn of best play.
func (s *Solution) Violation(ctx context.Context, starts []int) (most float64, err error) {
	p := s.starts.players
	var mu sync.Mutex
	err = s.turn.forEach(ctx, len(starts), func(i int, l *lane) error {
		value, dist := s.value[starts[i]*p:][:p], make([]float64, s.turn.ends)
		pay, m := s.payoffsAt(starts[i])
		d := math.Abs(s.bestEnding(l, dist, starts[i]) - s.turnCost() - value[m])
		for j, v := range expectedShares(pay, dist) {
			d = max(d, math.Abs(v-s.turnCost()-value[j]))
		}
		mu.Lock()
		most = max(most, d)
		mu.Unlock()
		return nil
	})
	return most, err
}

// Estimate implements [game.ResumableSolver]. It counts the turns to be solved and
// measures the time of one: the median of many short measurements, since other
// processes delay a few of them only.
func (r *Rules) Estimate() game.Estimate {
	if r.cfg.MaxRounds > 0 {
		return r.estimateLimited()
	}
	const (
		setup = 0.15 // seconds to build the graph of a turn, and of half-empty batches; measured
		rest  = 1.15 // time with all that is not the solving of turns, relative to that; measured
	)
	t, g := newStarts(r.cfg), newGreedy(r, r.graph())
	b := g.turn.newBatch()
	for k := range g.turn.ends {
		for l := range expectimax.Width {
			b.value[k][l] = g.value[k]
		}
	}
	var seconds [101]float64
	for i := range seconds {
		begin := time.Now()
		b.solve()
		b.propagate()
		seconds[i] = time.Since(begin).Seconds()
	}
	slices.Sort(seconds[:])
	perTurn := seconds[len(seconds)/2] / expectimax.Width
	return game.Estimate{
		Positions:   int64(t.count()),
		Bytes:       int64(t.count()) * int64(t.players) * 8,
		CoreSeconds: setup + float64(rest*perTurn/turnWork*float64(t.allWork())),
	}
}

// Residual implements [game.Solution].
func (s *Solution) Residual() float64 { return s.residual }

// Facts implements [game.Solution]: the highest expected score of a turn, which is
// 3.110381746838 in the published game.
func (s *Solution) Facts() []game.Fact {
	g := newGreedy(s.r, s.turn)
	return []game.Fact{{Name: "expected_turn_score", Value: g.rolling[s.turn.start()]}}
}

// sweep fills in work with the values [starts, P] when place m plays play[m] or, where
// that is nil, a best response, and with the residual of the best responses. It goes
// from the highest total score to the lowest, since a turn that scores leads to a
// higher total. Turns without points form a cycle and are solved together.
func (s *Solution) sweep(ctx context.Context, work *game.SolverState, play []*tabularPolicy, progress func(float64)) error {
	var vectors []uint32
	var done int64 // work
	last := s.starts.totals() - 1
	for i := range int64(last) + 1 {
		vectors = s.starts.vectors(vectors[:0], last-int(i))
		for _, v := range vectors {
			done += s.starts.work(s.starts.vector(v))
		}
		if i < work.Next {
			continue
		}
		residual, err := s.layer(ctx, work.Values, play, vectors)
		if err != nil {
			return err
		}
		work.Residual = max(work.Residual, residual)
		work.Next, work.Done = i+1, float64(done)/float64(s.starts.allWork())
		if progress != nil {
			progress(work.Done)
		}
	}
	return nil
}

// layer solves the starts at all scores of one total, which do not depend on each
// other, on all cores. It returns the largest residual.
func (s *Solution) layer(ctx context.Context, value []float64, play []*tabularPolicy, vectors []uint32) (float64, error) {
	var mu sync.Mutex
	var worst float64
	err := s.turn.forEach(ctx, len(vectors), func(i int, l *lane) error {
		w := s.newScoreSolver(l, value, play)
		defer s.free(w)
		if err := w.solve(s.starts.vector(vectors[i])); err != nil {
			return err
		}
		mu.Lock()
		worst = max(worst, w.residual)
		mu.Unlock()
		return nil
	})
	return worst, err
}

// scoreSolver solves the starts at one vector of scores. Its lane solves the turns of
// places without a fixed policy.
type scoreSolver struct {
	s        *Solution
	lane     *lane
	value    []float64        // [starts, P]; complete for higher totals
	fixed    []*tabularPolicy // [P]; nil for a best response
	residual float64

	x, earlier []float64   // [P, P] values of the starts at these scores, by place to move; those of an earlier round
	c          []float64   // [P, P] the part of x from turns with points
	pay        [][]float64 // [P][ends, P] value of each end of a turn to each place
	dist, last [][]float64 // [P][ends] probability of each end, in this round and the last one
}

var scoreSolvers sync.Pool

func (s *Solution) newScoreSolver(l *lane, value []float64, play []*tabularPolicy) *scoreSolver {
	w, _ := scoreSolvers.Get().(*scoreSolver)
	if w == nil || w.s != s {
		p, ends := s.starts.players, s.turn.ends
		w = &scoreSolver{s: s, x: make([]float64, p*p), earlier: make([]float64, 0, p*p), c: make([]float64, p*p)}
		for range p {
			w.pay = append(w.pay, make([]float64, ends*p))
			w.dist = append(w.dist, make([]float64, ends))
			w.last = append(w.last, make([]float64, ends))
		}
	}
	w.lane, w.value, w.fixed, w.residual = l, value, play, 0
	return w
}

func (s *Solution) free(w *scoreSolver) { scoreSolvers.Put(w) }

// solve fills in the values of all starts at these scores.
func (w *scoreSolver) solve(score [maxPlayers]uint8) error {
	p := w.s.starts.players
	first := w.s.starts.firstToMove(score)
	for m := first; m < p; m++ {
		w.s.fillPayoffs(w.pay[m], w.value, score, m)
	}
	if first > 0 {
		for m := p - 1; m >= first; m-- {
			if m < p-1 {
				copy(w.pay[m][:p], w.x[(m+1)*p:])
			}
			best := w.ending(score, m)
			w.expectedValues(w.x[m*p:][:p], m, 0)
			if w.fixed[m] == nil {
				w.residual = max(w.residual, math.Abs(best-w.x[m*p+m]))
			}
		}
	} else if err := w.solveCycle(score); err != nil {
		return err
	}
	for m := first; m < p; m++ {
		copy(w.value[w.s.starts.index(score[:], m)*p:][:p], w.x[m*p:])
	}
	return nil
}

// solveCycle solves the starts at scores below the target. Turns without points form a
// cycle of them:
//
//	x(m) = c(m) + q(m)·x(m+1),  q(m) the probability of no points
//
// It starts from x(0) as extrapolated from the values after one and two points of the
// last place, or from equal shares where nobody would score against that. It improves
// the choices place by place against the latest x, solves the linear system for them,
// and ends when they no longer change. This is Newton's method, and may not converge.
// After some rounds it continues by value iteration, without the system: a contraction
// where only one place is free. It then also ends when the values no longer change,
// since tied options can make choices alternate. Where the values repeat in a cycle,
// the equilibrium is mixed.
func (w *scoreSolver) solveCycle(score [maxPlayers]uint8) error {
	const newton, limit = 50, 5000 // rounds; chosen: most scores need 3
	p := w.s.starts.players
	last, two := w.pay[p-1], min(2, w.s.turn.ends-1)
	for j := range p {
		w.x[j] = 2*last[p+j] - last[two*p+j]
	}
	if p == 1 {
		w.x[0] = -1e4 // so low that scoring is better
	}
	var best [maxPlayers]float64
	earlier := w.earlier[:0] // x of an earlier round
	solved := false          // x solves the system for the last choices
	for i := range limit {
		same, moved := i > 0, 0.0
		for m := p - 1; m >= 0; m-- {
			copy(w.pay[m][:p], w.x[(m+1)%p*p:][:p])
			w.dist[m], w.last[m] = w.last[m], w.dist[m]
			best[m] = w.ending(score, m)
			before := w.x[m*p+m]
			w.expectedValues(w.x[m*p:][:p], m, 0)
			moved = max(moved, math.Abs(w.x[m*p+m]-before))
			same = same && slices.Equal(w.dist[m], w.last[m])
		}
		if same && solved || i >= newton && moved <= 10*game.Tie {
			w.residual = max(w.residual, w.gap(best[:p]))
			return nil
		}
		if solved = same || i < newton; solved {
			err := w.solveLinear(score)
			if err != nil && i > 0 {
				return err
			}
			if err != nil {
				solved = false
				for j := range w.x {
					w.x[j] = 1 / float64(p)
				}
			}
		}
		if i > newton && slices.EqualFunc(w.x, earlier, nearlyEqual) {
			return w.solveMixed(score)
		}
		if i&(i-1) == 0 { // at growing distances, which detects cycles of any length
			earlier = append(earlier[:0], w.x...)
		}
	}
	return w.noConvergence(score)
}

// nearlyEqual reports whether two values differ only by rounding.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) < 1e-14 }

func (w *scoreSolver) noConvergence(score [maxPlayers]uint8) error {
	return fmt.Errorf("martian-dice: at scores %v the choices of the players do not converge: %w", score[:w.s.starts.players], game.ErrNoSolution)
}

// solveLinear solves the linear system of the cycle for the current choices.
func (w *scoreSolver) solveLinear(score [maxPlayers]uint8) error {
	p := w.s.starts.players
	again := 1.0
	for m := range p {
		w.expectedValues(w.c[m*p:][:p], m, 1)
		again *= w.dist[m][0]
	}
	if again > endlessProb {
		return w.s.endlessError(score)
	}
	for j := range p {
		x := 0.0
		for m := p - 1; m >= 0; m-- {
			x = w.c[m*p+j] + float64(w.dist[m][0]*x)
		}
		x /= 1 - again
		for m := p - 1; m >= 0; m-- {
			x = w.c[m*p+j] + float64(w.dist[m][0]*x)
			w.x[m*p+j] = x
		}
	}
	return nil
}

// endlessProb is the probability of a round without points above which the game is
// considered endless. Chosen: the rest is mostly rounding error.
const endlessProb = 1 - 1e-9

func (s *Solution) endlessError(score [maxPlayers]uint8) error {
	return fmt.Errorf("martian-dice: at scores %v no player ever scores, so the game has no end: %w", score[:s.starts.players], game.ErrNoSolution)
}

// gap returns the largest difference between best [P], the values of best responses,
// and x, over the places without a fixed policy.
func (w *scoreSolver) gap(best []float64) float64 {
	d := 0.0
	for m, v := range best {
		if w.fixed[m] == nil {
			d = max(d, math.Abs(v-w.x[m*len(best)+m]))
		}
	}
	return d
}

// ending fills dist[m] with the probability of each end of the turn of place m. It
// returns the value to m if its policy is not fixed. In a last round the payoffs depend
// on the differences of the scores only, and recur.
func (w *scoreSolver) ending(score [maxPlayers]uint8, m int) float64 {
	if w.fixed[m] != nil {
		copy(w.dist[m], w.fixed[m].ending(w.s.starts.index(score[:], m)))
		return 0
	}
	solve := (*lane).solve
	if w.s.starts.firstToMove(score) > 0 {
		solve = (*lane).recall
	}
	return solve(w.lane, w.dist[m], w.pay[m][m:], w.s.starts.players) - w.s.turnCost()
}

// turnCost returns the cost of a turn: 1 in solitaire, which counts turns, else 0.
func (s *Solution) turnCost() float64 {
	if s.starts.players == 1 {
		return 1
	}
	return 0
}

// expectedValues fills dst [P] with the expected value of m's turn to each place,
// counting only ends with at least that many points.
func (w *scoreSolver) expectedValues(dst []float64, m, least int) {
	p := w.s.starts.players
	for j := range dst {
		sum := -w.s.turnCost()
		for k := least; k < w.s.turn.ends; k++ {
			sum += float64(w.dist[m][k] * w.pay[m][k*p+j])
		}
		dst[j] = sum
	}
}

// fillPayoffs fills pay [ends, P] with the value of each end of m's turn to each place.
// It leaves the first row, for no points, unchanged unless the game is then over.
func (s *Solution) fillPayoffs(pay, value []float64, score [maxPlayers]uint8, m int) {
	p := s.starts.players
	for k := range s.turn.ends {
		row := pay[k*p:][:p]
		switch {
		case m == p-1 && s.endsGame(score):
			finalShares(row, score)
		case k > 0:
			copy(row, value[s.starts.index(score[:], (m+1)%p)*p:])
		}
		score[m]++
	}
}

// endsGame reports whether a round that ends with these scores ends the game.
func (s *Solution) endsGame(score [maxPlayers]uint8) bool {
	for _, n := range score[:s.starts.players] {
		if int(n) >= s.starts.target {
			return true
		}
	}
	return false
}

// finalShares fills dst [P] with the expected shares of the win at the end of a game.
// The places with most points have equal shares, since the roll-off is fair. In
// solitaire the value is 0 turns.
func finalShares(dst []float64, score [maxPlayers]uint8) {
	if len(dst) == 1 {
		dst[0] = 0
		return
	}
	best, tied := uint8(0), uint16(0)
	for i := range dst {
		switch n := score[i]; {
		case n > best:
			best, tied = n, 1<<i
		case n == best:
			tied |= 1 << i
		}
	}
	for i := range dst {
		dst[i] = float64(tied>>i&1) / float64(bits.OnesCount16(tied))
	}
}
