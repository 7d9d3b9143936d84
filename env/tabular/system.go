package tabular

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// errEndless means that under the choices made the game may never end.
var errEndless = errors.New("the game may never end")

const (
	// Limits of the direct solution of a component: unknowns, and numbers kept.
	// Chosen: at both it takes about a second and 256 MB.
	maxUnknowns = 1024
	maxNumbers  = 1 << 25
)

// system is the working memory of solve.
type system struct {
	post  []int32 // positions of the component, each after those it leads to
	knot  []int32 // by place: 1 + index in knots, else 0
	knots []int32 // positions that cut every cycle
	rows  []float64
	path  []visit
	mark  []byte
}

// solve sets the values of comp under the present choices. Positions that cut
// every cycle are the unknowns; all others are written in terms of them, and
// the dense system that remains is solved directly. It returns errEndless, with
// the values unchanged, if some position of comp cannot leave it.
func (p *pricing) solve(ctx context.Context, comp []int32) error {
	y := &p.sys
	p.untie(comp)
	if !p.direct(comp) {
		return p.relax(ctx, comp)
	}
	p.reduce(comp)
	if err := p.eliminate(); err != nil {
		return err
	}
	m := len(y.knots)
	for k, i := range y.knots {
		r := p.row(i)
		for seat := range p.at(i) {
			v := r[m+1+seat]
			for c := range k {
				v += r[c] * p.at(y.knots[c])[seat]
			}
			p.at(i)[seat] = v
		}
	}
	for _, i := range y.post {
		if y.knot[p.place[i]-1] == 0 {
			p.lookAhead(i)
		}
	}
	return nil
}

// width is the length of a row: coefficients of the knots, the probability of
// leaving, and the value thence by seat.
func (p *pricing) width() int { return len(p.sys.knots) + 1 + p.players }

// direct reports whether comp, as untied, is small enough to be solved directly.
func (p *pricing) direct(comp []int32) bool {
	return len(p.sys.knots) <= maxUnknowns && p.width()*len(comp) <= maxNumbers
}

// row is what position i of the component comes to, in terms of the knots.
func (p *pricing) row(i int32) []float64 {
	k := int(p.place[i]-1) * p.width()
	return p.sys.rows[k : k+p.width()]
}

// reduce fills in the rows of comp: which knot comes next, and what if none.
func (p *pricing) reduce(comp []int32) {
	y := &p.sys
	m, n := len(y.knots), p.width()*len(comp)
	y.rows = slices.Grow(y.rows[:0], n)[:n]
	for _, i := range y.post {
		r := p.row(i)
		clear(r)
		to, w := p.edges(i)
		for e, j := range to {
			switch {
			case w[e] == 0:
			case p.place[j] == 0:
				r[m] += w[e]
				for seat, v := range p.at(j) {
					r[m+1+seat] += w[e] * v
				}
			case y.knot[p.place[j]-1] > 0:
				r[y.knot[p.place[j]-1]-1] += w[e]
			default:
				for c, v := range p.row(j) {
					r[c] += w[e] * v
				}
			}
		}
	}
}

// eliminate writes each knot in terms of those before it. In the row of knot k
// it leaves the pivot at k, and behind that the coefficients of later knots as
// they were before the row was divided by the pivot.
//
// It does without a subtraction: what is left of the diagonal, 1 - r[k], is the
// sum of all else in the row. So small chances of leaving keep their accuracy,
// and a pivot is zero only if there is none.
//
// Source: Grassmann, Taksar and Heyman, "Regenerative analysis and steady state
// distributions for Markov chains", Operations Research 33(5), 1985.
func (p *pricing) eliminate() error {
	y := &p.sys
	m := len(y.knots)
	for k := m - 1; k >= 0; k-- {
		rk := p.row(y.knots[k])
		pivot := rk[m]
		for _, v := range rk[:k] {
			pivot += v
		}
		if !(pivot > 0) {
			return errEndless
		}
		rk[k] = pivot
		for c := range rk[:k] {
			rk[c] /= pivot
		}
		for c := range rk[m:] {
			rk[m+c] /= pivot
		}
		for _, i := range y.knots[:k] {
			r := p.row(i)
			f := r[k]
			if f == 0 {
				continue
			}
			for c, v := range rk[:k] {
				r[c] += f * v
			}
			for c, v := range rk[m:] {
				r[m+c] += f * v
			}
		}
	}
	return nil
}

// untie walks comp depth first, under the present choices, and fills post, knot
// and knots. Every cycle has an edge back to a position on the path, so that
// the targets of those cut them all.
func (p *pricing) untie(comp []int32) {
	const onPath, done = 1, 2
	y := &p.sys
	n := len(comp)
	y.post, y.knots = y.post[:0], y.knots[:0]
	y.knot = slices.Grow(y.knot[:0], n)[:n]
	clear(y.knot)
	y.mark = slices.Grow(y.mark[:0], n)[:n]
	clear(y.mark)
	for _, root := range slices.Backward(comp) { // from where it was entered
		if y.mark[p.place[root]-1] != 0 {
			continue
		}
		y.mark[p.place[root]-1] = onPath
		y.path = append(y.path[:0], visit{node: root})
		for len(y.path) > 0 {
			v := &y.path[len(y.path)-1]
			to, w := p.edges(v.node)
			if int(v.edge) == len(to) {
				y.mark[p.place[v.node]-1] = done
				y.post = append(y.post, v.node)
				y.path = y.path[:len(y.path)-1]
				continue
			}
			j, weight := to[v.edge], w[v.edge]
			v.edge++
			at := p.place[j] - 1
			switch {
			case at < 0 || weight == 0:
			case y.mark[at] == 0:
				y.mark[at] = onPath
				y.path = append(y.path, visit{node: j})
			case y.mark[at] == onPath && y.knot[at] == 0:
				y.knots = append(y.knots, j)
				y.knot[at] = int32(len(y.knots))
			}
		}
	}
}

// leaves reports whether every position of comp, as untied, can leave it.
func (p *pricing) leaves(comp []int32) bool {
	out := make([]bool, len(comp)) // known to leave
	stuck := len(comp)
	for again := true; again; {
		again = false
		for _, i := range p.sys.post {
			at := p.place[i] - 1
			if out[at] {
				continue
			}
			to, w := p.edges(i)
			for e, j := range to {
				if w[e] > 0 && (p.place[j] == 0 || out[p.place[j]-1]) {
					out[at], again = true, true
					stuck--
					break
				}
			}
		}
	}
	return stuck == 0
}

// relax sweeps over comp, as untied, until its values stand still: for
// components too large to be solved directly.
func (p *pricing) relax(ctx context.Context, comp []int32) error {
	if !p.leaves(comp) {
		return errEndless
	}
	change := 0.0
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		change = 0
		for _, i := range p.sys.post {
			change = max(change, p.lookAhead(i))
		}
		if change <= settled {
			return nil
		}
	}
	if change <= game.Tie {
		return nil // rounding keeps it from standing still
	}
	return fmt.Errorf("a cycle of %d positions still changes by %.3g after %d sweeps", len(comp), change, sweeps)
}
