package tabular

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// errEndless means that under the current choices the game may never end.
var errEndless = errors.New("the game may never end")

const (
	// Limits of the direct solution of a component: unknowns, and elements of rows.
	// Chosen: at both limits it takes about a second and 256 MB.
	maxUnknowns = 1024
	maxElements = 1 << 25
)

// linearSystem is the working memory of solveLinear.
type linearSystem struct {
	postorder []uint32 // positions of the component, each after its successors
	unknown   []int32  // by local index: 1 + index in unknowns, else 0
	unknowns  []uint32 // positions whose removal cuts every cycle
	rows      []float64
	path      []visit
	mark      []byte
}

// solveLinear sets the values of comp under the current choices. The unknowns are
// positions that cut every cycle (a feedback vertex set). All others are expressed by
// them, and the remaining dense system is solved directly. It returns errEndless, with
// the values unchanged, if some position of comp cannot leave it.
func (ev *evaluation) solveLinear(ctx context.Context, comp []uint32) error {
	ev.chooseUnknowns(comp)
	if !ev.fitsDirect() {
		return ev.relax(ctx)
	}
	ev.writeRows()
	if err := ev.eliminate(); err != nil {
		return err
	}
	ev.solveUnknowns()
	for _, i := range ev.linear.postorder {
		if ev.linear.unknown[ev.local(i)] == 0 {
			ev.lookAhead(i)
		}
	}
	return nil
}

// solveUnknowns sets the values of the unknowns, after eliminate.
func (ev *evaluation) solveUnknowns() {
	y := &ev.linear
	m := len(y.unknowns)
	for k, i := range y.unknowns {
		r := ev.row(i)
		for seat := range ev.at(i) {
			v := r[m+1+seat]
			for c := range k {
				v += float64(r[c] * ev.at(y.unknowns[c])[seat])
			}
			ev.at(i)[seat] = v
		}
	}
}

// width returns the length of a row: the coefficients of the unknowns, the probability
// of leaving comp instead, and the values after leaving weighted by probability [P].
func (ev *evaluation) width() int { return len(ev.linear.unknowns) + 1 + ev.players }

// fitsDirect reports whether the component, after chooseUnknowns, is small enough to be solved
// directly.
func (ev *evaluation) fitsDirect() bool {
	return len(ev.linear.unknowns) <= maxUnknowns && ev.width()*ev.size() <= maxElements
}

// row returns the row of position i, which expresses its values by the unknowns.
func (ev *evaluation) row(i uint32) []float64 {
	k := int(ev.local(i)) * ev.width()
	return ev.linear.rows[k : k+ev.width()]
}

// writeRows fills in the rows of the component.
func (ev *evaluation) writeRows() {
	ev.makeRows()
	for _, i := range ev.linear.postorder {
		ev.writeRow(i)
	}
}

// makeRows makes room for the rows of the component.
func (ev *evaluation) makeRows() {
	n := ev.width() * ev.size()
	ev.linear.rows = slices.Grow(ev.linear.rows[:0], n)[:n]
}

// writeRow fills in the row of position i: the probability that each unknown is the next one
// reached, and the rest of width.
func (ev *evaluation) writeRow(i uint32) {
	y := &ev.linear
	r, m := ev.row(i), len(y.unknowns)
	clear(r)
	to, w := ev.successors(i)
	for e, j := range to {
		switch {
		case w[e] == 0:
		case !ev.has(j):
			r[m] += w[e]
			for seat, v := range ev.at(j) {
				r[m+1+seat] += float64(w[e] * v)
			}
		case y.unknown[ev.local(j)] > 0:
			r[y.unknown[ev.local(j)]-1] += w[e]
		default:
			for c, v := range ev.row(j) {
				r[c] += float64(w[e] * v)
			}
		}
	}
}

// eliminate expresses each unknown by those before it. In the row of unknown k it leaves
// the pivot at k, and after it the coefficients of later unknowns as they were before
// the division by the pivot.
//
// It needs no subtraction: the remaining diagonal element, 1 - r[k], is the sum of all
// other elements of the row. So small probabilities of leaving keep their accuracy, and
// a pivot is zero only if the probability of leaving is zero.
//
// Source: Grassmann, Taksar and Heyman, "Regenerative analysis and steady state
// distributions for Markov chains", Operations Research 33(5), 1985.
func (ev *evaluation) eliminate() error {
	y := &ev.linear
	m := len(y.unknowns)
	for k := m - 1; k >= 0; k-- {
		rk := ev.row(y.unknowns[k])
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
		for _, i := range y.unknowns[:k] {
			r := ev.row(i)
			f := r[k]
			if f == 0 {
				continue
			}
			for c, v := range rk[:k] {
				r[c] += float64(f * v)
			}
			for c, v := range rk[m:] {
				r[m+c] += float64(f * v)
			}
		}
	}
	return nil
}

// chooseUnknowns fills in postorder, unknown and unknowns by a depth-first search, under the
// current choices, from some positions of the component. Every cycle has an edge back to a
// position on the path of the search, so the targets of these edges cut all cycles.
func (ev *evaluation) chooseUnknowns(from []uint32) {
	const onPath, done = 1, 2
	y, n := &ev.linear, ev.size()
	y.clear(n)
	y.postorder = y.postorder[:0]
	y.mark = slices.Grow(y.mark[:0], n)[:n]
	clear(y.mark)
	for _, root := range slices.Backward(from) { // the position at which it was entered
		if y.mark[ev.local(root)] != 0 {
			continue
		}
		y.mark[ev.local(root)] = onPath
		y.path = append(y.path[:0], visit{node: root})
		for len(y.path) > 0 {
			v := &y.path[len(y.path)-1]
			to, w := ev.successors(v.node)
			if int(v.edge) == len(to) {
				y.mark[ev.local(v.node)] = done
				y.postorder = append(y.postorder, v.node)
				y.path = y.path[:len(y.path)-1]
				continue
			}
			j, weight := to[v.edge], w[v.edge]
			v.edge++
			at := ev.local(j)
			switch {
			case !ev.has(j) || weight == 0:
			case y.mark[at] == 0:
				y.mark[at] = onPath
				y.path = append(y.path, visit{node: j})
			case y.mark[at] == onPath && y.unknown[at] == 0:
				y.unknowns = append(y.unknowns, j)
				y.unknown[at] = int32(len(y.unknowns))
			}
		}
	}
}

// canLeave reports whether every position in postorder can leave the component.
func (ev *evaluation) canLeave() bool {
	out := make([]bool, ev.size())
	ev.findExits(ev.linear.postorder, out)
	return !slices.ContainsFunc(ev.linear.postorder, func(i uint32) bool { return !out[ev.local(i)] })
}

// sweep looks ahead from each position in postorder, and returns the largest change.
func (ev *evaluation) sweep() (change float64) {
	for _, i := range ev.linear.postorder {
		change = max(change, ev.lookAhead(i))
	}
	return change
}

// relax sweeps over the component, after chooseUnknowns, until its values converge. It is for
// components too large to be solved directly.
func (ev *evaluation) relax(ctx context.Context) error {
	if !ev.canLeave() {
		return errEndless
	}
	change, err := sweeps(ctx, ev.sweep)
	if err != nil || change <= game.Tie { // rounding can prevent smaller changes
		return err
	}
	return fmt.Errorf("a cycle of %d positions still changes by %.3g after %d sweeps", ev.size(), change, maxSweeps)
}

// visit is a step on the path of a depth-first search.
type visit struct {
	node uint32
	edge int32
}
