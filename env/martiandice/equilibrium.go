package martiandice

import (
	"math"
	"slices"
)

// With three or more players some equilibria are mixed: at a few scores every pure
// choice of one place makes another place change its choice, in a cycle. The best
// turn of place m depends on one number of the cycle,
//
//	v(m) = x(m+1)[m], the value to m of a turn without points,
//
// and changes only where two options tie. These are the breakpoints of the value of
// the turn to m, a convex, piecewise linear function of v(m). So in an equilibrium
// v(m) lies inside a linear piece, with one pure best response, or at a breakpoint,
// where m mixes the best responses of the two pieces with the probabilities that keep
// v(m) at the breakpoint.

// breakpointGap is the distance from a breakpoint at which the best responses on its
// two sides are computed. Chosen: far above rounding errors, far below the distance
// between breakpoints.
const breakpointGap = 1e-9

// responses are the best responses of a place, one for each linear piece, by
// ascending v(m).
type responses struct {
	breakpoint []float64   // [n]
	dist       [][]float64 // [n+1][ends]; dist[i] lies below breakpoint[i], dist[n] above all
}

// candidate is the best response of one piece, or a mixture of those of two
// neighbouring pieces.
type candidate struct {
	piece int
	mixed bool // with piece + 1
}

// solveMixed solves the starts at scores where the choices of solveCycle repeat in a
// cycle. Of several equilibria it takes one with the fewest places that mix, and of
// those the first by ascending v(m).
func (w *scoreSolver) solveMixed(score [maxPlayers]uint8) error {
	p := w.s.starts.players
	all := make([]responses, p)
	low, high := w.valueRange(score)
	for m := range all {
		margin := high[m] - low[m] + breakpointGap
		all[m] = w.responsesOf(score, m, low[m]-margin, high[m]+margin)
	}
	choice := make([]candidate, p)
	for mixed := range p + 1 {
		if w.search(all, choice, 0, mixed) {
			w.addResidual(score)
			return nil
		}
	}
	return w.noConvergence(score)
}

// valueRange returns the lowest and the highest v(m) during some rounds of best
// responses.
func (w *scoreSolver) valueRange(score [maxPlayers]uint8) (low, high []float64) {
	const rounds = 30 // chosen: observed cycles have two rounds
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

// responsesOf returns the best responses of place m for v(m) from low to high. It
// finds the breakpoints by bisection.
func (w *scoreSolver) responsesOf(score [maxPlayers]uint8, m int, low, high float64) responses {
	at := func(v float64) []float64 {
		w.pay[m][m] = v
		w.ending(score, m)
		return slices.Clone(w.dist[m])
	}
	var all responses
	var bisect func(low, high float64, first, last []float64)
	bisect = func(low, high float64, first, last []float64) {
		if slices.Equal(first, last) {
			return
		}
		if mid := (low + high) / 2; high-low > 1e-15 {
			dist := at(mid)
			bisect(low, mid, first, dist)
			bisect(mid, high, dist, last)
			return
		}
		if n := len(all.breakpoint); n > 0 && low-all.breakpoint[n-1] < breakpointGap {
			all.dist[n] = last // the same breakpoint again
			return
		}
		all.breakpoint = append(all.breakpoint, (low+high)/2)
		all.dist = append(all.dist, last)
	}
	first := at(low)
	all.dist = append(all.dist, first)
	bisect(low, high, first, at(high))
	return all
}

// search tries all combinations of candidates for the places from m on in which exactly
// mixed candidates are mixed. It reports whether one is an equilibrium and leaves the first such in
// dist and x.
func (w *scoreSolver) search(all []responses, choice []candidate, m, mixed int) bool {
	if m == len(all) {
		return mixed == 0 && w.tryCandidates(all, choice)
	}
	for i := range all[m].dist {
		choice[m] = candidate{piece: i}
		if w.search(all, choice, m+1, mixed) {
			return true
		}
		if i < len(all[m].breakpoint) && mixed > 0 {
			choice[m].mixed = true
			if w.search(all, choice, m+1, mixed-1) {
				return true
			}
		}
	}
	return false
}

// tryCandidates solves the cycle for one candidate of each place and reports whether
// every candidate is a best response.
func (w *scoreSolver) tryCandidates(all []responses, choice []candidate) bool {
	p := len(all)
	v := func(m int) float64 { return w.x[(m+1)%p*p+m] }
	var mixed []int
	for m, c := range choice {
		copy(w.dist[m], all[m].dist[c.piece])
		if c.mixed {
			mixed = append(mixed, m)
		}
	}
	upper := slices.Repeat([]float64{0.5}, len(mixed)) // probability of the upper piece
	// distance fills dst [mixed] with the difference between each v and its breakpoint.
	distance := func(dst, upper []float64) bool {
		for i, m := range mixed {
			below, above := all[m].dist[choice[m].piece], all[m].dist[choice[m].piece+1]
			for k := range below {
				w.dist[m][k] = float64((1-upper[i])*below[k]) + float64(upper[i]*above[k])
			}
		}
		if w.solveLinear([maxPlayers]uint8{}) != nil {
			return false
		}
		for i, m := range mixed {
			dst[i] = v(m) - all[m].breakpoint[choice[m].piece]
		}
		return true
	}
	if !newton(upper, distance) {
		return false
	}
	for _, x := range upper {
		if !(x >= 0 && x <= 1) {
			return false
		}
	}
	for m, c := range choice {
		points := all[m].breakpoint
		if !c.mixed && (c.piece > 0 && v(m) < points[c.piece-1] || c.piece < len(points) && v(m) > points[c.piece]) {
			return false
		}
	}
	return true
}

// newton solves f(x) = 0 for a few unknowns by Newton's method with finite
// differences, and reports whether it succeeded. f is smooth and reports whether it
// has a value.
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

// eliminate solves a linear system [n, n+1] in place and reports whether it is
// regular. The last column becomes the solution.
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
				rows[r][k] -= float64(by * rows[c][k])
			}
		}
	}
	for c := range rows {
		rows[c][len(rows)] /= rows[c][c]
	}
	return true
}

// addResidual raises the residual to the difference between x and best play.
func (w *scoreSolver) addResidual(score [maxPlayers]uint8) {
	p := w.s.starts.players
	for m := range p {
		copy(w.pay[m][:p], w.x[(m+1)%p*p:][:p])
		w.residual = max(w.residual, math.Abs(w.ending(score, m)-w.x[m*p+m]))
	}
}
