package marsisours

import (
	"context"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/env/game/chart"
)

// Limits of the solver. Chosen: the codes of 14 cells take 19 MB, and the values of
// 1<<27 positions 1 GB.
const (
	maxFastCells     = 14
	maxFastPositions = 1 << 27
)

// Solve implements [game.Solver] for the quick game. The published one takes three
// seconds on one core and 80 MB.
func (r *Rules) Solve(ctx context.Context, progress func(float64)) (game.Solution[State], error) {
	return r.SolveFrom(ctx, new(game.SolverState), progress)
}

// SolveFrom implements [game.ResumableSolver]. The values are the starter's shares of
// the win, by number of the position; Next counts layers.
func (r *Rules) SolveFrom(ctx context.Context, work *game.SolverState, progress func(float64)) (game.StoredSolution[State], error) {
	n, _, err := r.StateSize()
	if err != nil {
		return nil, err
	}
	if work.Values != nil && len(work.Values) != n {
		return nil, fmt.Errorf("mars-is-ours: %d values for %d positions", len(work.Values), n)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := newFastIndex(r)
	if err != nil {
		return nil, fmt.Errorf("mars-is-ours: %w", err)
	}
	if work.Values == nil {
		work.Values = make([]float64, n)
	}
	p := &fastEvaluator{fastIndex: x, value: work.Values}
	if work.Done < 1 {
		if err := p.run(ctx, work, progress); err != nil {
			return nil, err
		}
	}
	return &fastSolution{x: x, value: work.Values, residual: work.Residual}, nil
}

// StateSize implements [game.ResumableSolver].
func (r *Rules) StateSize() (values int, steps int64, err error) {
	if !r.fast {
		return 0, 0, fmt.Errorf("mars-is-ours: only the quick game is solved: %w", game.ErrNoSolution)
	}
	k, cells := newFastReserves(r.cfg), len(r.board.free)
	if cells > maxFastCells {
		return 0, 0, fmt.Errorf("mars-is-ours: the map has %d cells to stand on, more than %d: %w", cells, maxFastCells, game.ErrNoSolution)
	}
	n := k.positions(r)
	if n > maxFastPositions {
		return 0, 0, fmt.Errorf("mars-is-ours: with these robots there are %.0f positions, more than %d: %w", n, maxFastPositions, game.ErrNoSolution)
	}
	for robots := range 2*k.robots + 1 {
		for junk := range 2*k.junk + 1 {
			steps += int64(max(0, min(cells, robots-junk)+1)) // see layers
		}
	}
	return int(n), steps, nil
}

// Equations implements [game.StoredSolution]: there is one for each position.
func (s *fastSolution) Equations() int { return s.x.len() }

// Violation implements [game.StoredSolution], in shares of the win.
func (s *fastSolution) Violation(ctx context.Context, positions []int) (most float64, err error) {
	p := fastEvaluator{fastIndex: s.x, value: s.value}
	for _, n := range positions {
		at := uint32(n)
		most = max(most, math.Abs(p.lookAhead(s.x.position(at), at)-s.value[at]))
	}
	return most, ctx.Err()
}

// Estimate implements [game.ResumableSolver].
func (r *Rules) Estimate() game.Estimate {
	const perPosition = 4e-7 // seconds; chosen: measured
	if !r.fast {
		return game.Estimate{}
	}
	n := newFastReserves(r.cfg).positions(r)
	return game.Estimate{Positions: int64(n), Bytes: int64(9 * n), CoreSeconds: n * perPosition}
}

// fastSolution is the exact solution of the quick game: the value of every position
// that the robots of two seats can form, whether the game can reach it or not.
//
// Every game ends, under any policies: the number of robots on the map never falls,
// that in a junkyard never rises, lost robots never return, and no seat acts after it
// has passed. Only a pattern of robots on the map can recur, through attacks. Each
// attack fails with a probability of at least 1-w, where w = 0.874 is the success
// probability of four robots, and a failed attack costs a robot. So the sweeps over
// such patterns contract by w.
type fastSolution struct {
	x        *fastIndex
	value    []float64 // role 0's share of the win
	residual float64   // of value
}

// Residual implements [game.Solution].
func (s *fastSolution) Residual() float64 { return s.residual * s.returnSpan() }

// returnSpan is the difference in return between a win and a loss.
func (s *fastSolution) returnSpan() float64 { return s.x.r.spec.Win - s.x.r.spec.Loss }

// Facts implements [game.Solution]: the starter's value, and a bound on the error of
// any value, both as shares of the win.
//
// A game passes through sets of positions that can recur through attacks. It leaves
// each set for ever when a robot is placed, lost or taken from the junkyard, or a
// seat passes. In each set a contraction by w adds at most (residual + rounding)/(1-w)
// to the error.
func (s *fastSolution) Facts() []game.Fact {
	const rounding = 1e-15 // of one lookAhead: about five operations on shares
	x := s.x
	sets := 2*x.robots + 2*x.junk + len(x.cells) + 3
	bound := (s.residual + rounding) * float64(sets) / (1 - slices.Max(x.win[:]))
	return []game.Fact{
		{Name: "starter_wins", Value: s.value[x.indexOf(x.start())]},
		{Name: "error_bound", Value: bound},
	}
}

// Charts implements [game.Solution]. There are none.
func (s *fastSolution) Charts() ([]chart.Chart, error) {
	return nil, fmt.Errorf("%s: %w", s.x.r.spec.ID, game.ErrNoCharts)
}

// PolicyCharts implements [game.Solution]. There are none.
func (s *fastSolution) PolicyCharts(game.TabularPolicy, string) ([]chart.Chart, error) {
	return s.Charts()
}

// TableSize implements [game.ResumableSolver]: there are no tables.
func (r *Rules) TableSize() (rows, width int) { return 0, 0 }

// TabulateRows implements [game.ResumableSolver].
func (r *Rules) TabulateRows(context.Context, game.Policy[State], int, int) ([]float64, error) {
	return nil, fmt.Errorf("%s has no tables: %w", r.spec.ID, game.ErrNoSolution)
}

// ReadTable implements [game.StoredSolution].
func (s *fastSolution) ReadTable(game.Policy[State], []float64) (game.TabularPolicy, error) {
	return nil, fmt.Errorf("%s has no tables: %w", s.x.r.spec.ID, game.ErrNoSolution)
}

// Value implements [game.Solution].
func (s *fastSolution) Value(dst []float64, at State) ([]float64, error) {
	v, err := s.winShare(at)
	if err != nil {
		return dst, fmt.Errorf("mars-is-ours: position %q: %w", s.x.r.Format(at), err)
	}
	return append(dst, s.x.r.spec.Return(v), s.x.r.spec.Return(1-v)), nil
}

// winShare returns seat 0's expected share of the win.
func (s *fastSolution) winShare(at State) (float64, error) {
	r := s.x.r
	switch r.CurrentPlayer(at) {
	case game.Terminal:
		return r.spec.WinShare(r.Returns(nil, at)[0]), nil
	case game.Chance:
		sum := 0.0
		for _, o := range r.Outcomes(nil, at) {
			v, err := s.winShare(o.State)
			if err != nil {
				return 0, err
			}
			sum += float64(o.Prob * v)
		}
		return sum, nil
	}
	p, err := s.x.find(&at)
	if err != nil {
		return 0, err
	}
	v := s.value[s.x.indexOf(p)]
	if at.Start == 1 {
		v = 1 - v
	}
	return v, nil
}

// Options implements [game.Solution].
func (s *fastSolution) Options(dst []float64, at State) ([]float64, error) {
	r := s.x.r
	for _, a := range r.Legal(nil, at) {
		next, err := r.Apply(at, a)
		if err != nil {
			return dst, err
		}
		v, err := s.winShare(next)
		if err != nil {
			return dst, fmt.Errorf("mars-is-ours: position %q: %w", r.Format(next), err)
		}
		if at.Mover == 1 {
			v = 1 - v
		}
		dst = append(dst, r.spec.Return(v))
	}
	return dst, nil
}

// Policy implements [game.Solution].
func (s *fastSolution) Policy() game.Policy[State] { return fastBest{s} }

type fastBest struct{ *fastSolution }

// Probs implements [game.Policy].
func (b fastBest) Probs(dst []float64, states []State) error {
	x, n := b.x, b.x.r.spec.Actions
	clear(dst)
	for i, s := range states {
		if x.r.CurrentPlayer(s) < 0 {
			return fmt.Errorf("mars-is-ours: position %q is not a decision", x.r.Format(s))
		}
		p, err := x.find(&s)
		if err != nil {
			return fmt.Errorf("mars-is-ours: position %q: %w", x.r.Format(s), err)
		}
		d := x.decision(p, s.Start)
		a := d.action(b.best(p, s.Start))
		if _, relabel := x.r.Canonical(s); relabel != nil {
			a = relabel[a]
		}
		dst[i*n+int(a)] = 1
	}
	return nil
}

// best returns the best choice in a position of a game that the given seat started,
// ties to the lowest action.
func (s *fastSolution) best(p fastPos, starter uint8) (best int) {
	var buf [32]float64
	lowest := game.Action(-1)
	d := s.x.decision(p, starter)
	for choice, loss := range s.losses(buf[:0], p) {
		if loss*s.returnSpan() <= game.Tie {
			if a := d.action(choice); lowest < 0 || a < lowest {
				best, lowest = choice, a
			}
		}
	}
	return best
}

// losses appends by how much each choice in a position is worse than the best, in
// shares of the win.
func (s *fastSolution) losses(dst []float64, p fastPos) []float64 {
	x := fastEvaluator{fastIndex: s.x, value: s.value}
	l := x.successors(p)
	from, sign := len(dst), 1.0
	if p.mover() == 1 {
		sign = -1
	}
	for _, m := range x.legal(p) {
		dst = append(dst, sign*x.moveValue(m, &l, x.value[l.lost]))
	}
	dst = append(dst, sign*x.passValue(p, &l))
	most := slices.Max(dst[from:])
	for i := range dst[from:] {
		dst[from+i] = most - dst[from+i]
	}
	return dst
}
