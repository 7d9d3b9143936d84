package martiandice

import (
	"math"
	"slices"
)

// With three or more players an equilibrium may have to mix: at a few scores
// each pure choice of one place makes another change its own, round and round.
// What place m does in its turn depends on one number of the cycle,
//
//	v(m) = x(m+1)[m], what no points are worth to m,
//
// and changes only where two options tie: at a bend, since what the turn is
// worth to m is a convex, piecewise linear function of v(m). So an equilibrium
// has each v(m) between two bends, with one way to play, or on a bend, with the
// ways to play on both sides mixed in the proportion that puts v(m) there.

// apart is the distance from a bend at which its sides are looked at. Chosen:
// far above rounding, far below what lies between bends.
const breakpointGap = 1e-9

// ways are the ways to play of a place at the v(m) that come up, in ascending
// order.
type responses struct {
	breakpoint []float64   // [n]
	dist       [][]float64 // [n+1][ends]; below bend[0], ..., above bend[n-1]
}

// candidate is a choice of one way to play, or of the two that a bend parts.
type candidate struct {
	piece int
	mixed bool // with way + 1
}

// solveMixed solves the starts at scores where the choices of solveCycle go
// round in circles. Of several equilibria it takes one with fewest places that
// mix, the lowest v(m) first.
func (w *scoreSolver) solveMixed(score [maxPlayers]uint8) error {
	p := w.s.starts.players
	all := make([]responses, p)
	low, high := w.valueRange(score)
	for m := range all {
		margin := high[m] - low[m] + breakpointGap
		all[m] = w.responsesOf(score, m, low[m]-margin, high[m]+margin)
	}
	pick := make([]candidate, p)
	for mixed := range p + 1 {
		if w.search(all, pick, 0, mixed) {
			w.addResidual(score)
			return nil
		}
	}
	return w.noConvergence(score)
}

// swing returns the lowest and the highest v(m) that come up while the places
// answer each other.
func (w *scoreSolver) valueRange(score [maxPlayers]uint8) (low, high []float64) {
	const rounds = 30 // chosen: circles of two rounds have been seen
	p := w.s.starts.players
	low, high = slices.Repeat([]float64{math.Inf(1)}, p), slices.Repeat([]float64{math.Inf(-1)}, p)
	for range rounds {
		for m := p - 1; m >= 0; m-- {
			copy(w.pay[m][:p], w.x[(m+1)%p*p:][:p])
			low[m], high[m] = min(low[m], w.pay[m][m]), max(high[m], w.pay[m][m])
			w.ending(score, m)
			w.expectedValues(w.x[m*p:][:p], m, 0)
		}
	}
	return low, high
}

// waysOf finds the ways to play of place m for v(m) from low to high.
func (w *scoreSolver) responsesOf(score [maxPlayers]uint8, m int, low, high float64) responses {
	at := func(v float64) []float64 {
		w.pay[m][m] = v
		w.ending(score, m)
		return slices.Clone(w.dist[m])
	}
	var all responses
	var part func(low, high float64, first, last []float64)
	part = func(low, high float64, first, last []float64) {
		if slices.Equal(first, last) {
			return
		}
		if mid := (low + high) / 2; high-low > 1e-15 {
			way := at(mid)
			part(low, mid, first, way)
			part(mid, high, way, last)
			return
		}
		if n := len(all.breakpoint); n > 0 && low-all.breakpoint[n-1] < breakpointGap {
			all.dist[n] = last // one bend, seen twice
			return
		}
		all.breakpoint = append(all.breakpoint, (low+high)/2)
		all.dist = append(all.dist, last)
	}
	first := at(low)
	all.dist = append(all.dist, first)
	part(low, high, first, at(high))
	return all
}

// search tries all candidates of the places from m on, so many of them mixed,
// and leaves the first equilibrium in dist and x.
func (w *scoreSolver) search(all []responses, pick []candidate, m, mixed int) bool {
	if m == len(all) {
		return mixed == 0 && w.tryCandidate(all, pick)
	}
	for i := range all[m].dist {
		pick[m] = candidate{piece: i}
		if w.search(all, pick, m+1, mixed) {
			return true
		}
		if i < len(all[m].breakpoint) && mixed > 0 {
			pick[m].mixed = true
			if w.search(all, pick, m+1, mixed-1) {
				return true
			}
		}
	}
	return false
}

// try solves the cycle for a choice of ways and reports whether every v(m) is
// where its way is best.
func (w *scoreSolver) tryCandidate(all []responses, pick []candidate) bool {
	p := len(all)
	v := func(m int) float64 { return w.x[(m+1)%p*p+m] }
	var mixed []int
	for m, c := range pick {
		copy(w.dist[m], all[m].dist[c.piece])
		if c.mixed {
			mixed = append(mixed, m)
		}
	}
	share := slices.Repeat([]float64{0.5}, len(mixed)) // of the upper way
	// off [mixed] is how far each v is from its bend.
	off := func(dst, share []float64) bool {
		for i, m := range mixed {
			below, above := all[m].dist[pick[m].piece], all[m].dist[pick[m].piece+1]
			for k := range below {
				w.dist[m][k] = (1-share[i])*below[k] + share[i]*above[k]
			}
		}
		if w.solveLinear([maxPlayers]uint8{}) != nil {
			return false
		}
		for i, m := range mixed {
			dst[i] = v(m) - all[m].breakpoint[pick[m].piece]
		}
		return true
	}
	if !newton(share, off) {
		return false
	}
	for _, x := range share {
		if !(x >= 0 && x <= 1) {
			return false
		}
	}
	for m, c := range pick {
		bend := all[m].breakpoint
		if !c.mixed && (c.piece > 0 && v(m) < bend[c.piece-1] || c.piece < len(bend) && v(m) > bend[c.piece]) {
			return false
		}
	}
	return true
}

// newton solves f(x) = 0 for a few unknowns, by differences; f is smooth and
// reports whether it has a value.
func newton(x []float64, f func(dst, x []float64) bool) bool {
	const h = 1e-4 // chosen: f is nearly linear
	n := len(x)
	at, moved := make([]float64, n), make([]float64, n)
	rows := make([][]float64, n) // [n, n+1], the linear system of a step
	for i := range rows {
		rows[i] = make([]float64, n+1)
	}
	for range 20 {
		if !f(at, x) {
			return false
		}
		for j := range x {
			was := x[j]
			x[j] = was + h
			ok := f(moved, x)
			x[j] = was
			if !ok {
				return false
			}
			for i := range rows {
				rows[i][j] = (moved[i] - at[i]) / h
			}
		}
		for i := range rows {
			rows[i][n] = -at[i]
		}
		if !eliminate(rows) {
			return false
		}
		step := 0.0
		for i := range x {
			x[i] += rows[i][n]
			step = max(step, math.Abs(rows[i][n]))
		}
		if step < 1e-9 {
			break
		}
	}
	return f(at, x)
}

// eliminate solves a linear system [n, n+1] in place; the last column becomes
// the solution.
func eliminate(rows [][]float64) bool {
	for c := range rows {
		best := c
		for r := c; r < len(rows); r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[best][c]) {
				best = r
			}
		}
		rows[c], rows[best] = rows[best], rows[c]
		if rows[c][c] == 0 {
			return false
		}
		for r := range rows {
			if r == c {
				continue
			}
			by := rows[r][c] / rows[c][c]
			for k := c; k <= len(rows); k++ {
				rows[r][k] -= by * rows[c][k]
			}
		}
	}
	for c := range rows {
		rows[c][len(rows)] /= rows[c][c]
	}
	return true
}

// confirm adds to the residual how far x is from best play.
func (w *scoreSolver) addResidual(score [maxPlayers]uint8) {
	p := w.s.starts.players
	for m := range p {
		copy(w.pay[m][:p], w.x[(m+1)%p*p:][:p])
		w.residual = max(w.residual, math.Abs(w.ending(score, m)-w.x[m*p+m]))
	}
}
