package tabular

import (
	"context"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// evaluation computes the value of every position when some seats play given policies
// and the others, the free seats, maximise their own return.
type evaluation struct {
	*graph
	policies []*policyTable // [P]; nil for a free seat
	reached  bitset         // positions that can come up; nil for all
	value    []float64      // [positions, P]
	choice   []int32        // index of the move that a free seat makes

	component          // the current one
	comp      []uint32 // its positions that can come up
	linear    linearSystem

	options []float64 // of best
}

// component is a range of positions, the last being that at which the search entered it.
type component struct{ from, to uint32 }

func (c component) size() int { return int(c.to - c.from) }

// local returns the index of a position in the component, or at least size for others.
func (c component) local(i uint32) uint32 { return i - c.from }

// has reports whether the component has a position.
func (c component) has(i uint32) bool { return i-c.from < c.to-c.from }

// evaluate returns the evaluation of the game for the given policies.
func (l *list[S]) evaluate(ctx context.Context, policies []*policyTable, progress func(float64)) (*evaluation, error) {
	n := l.Len()
	ev := &evaluation{
		graph:    &l.graph,
		policies: policies,
		value:    make([]float64, n*l.players),
		choice:   make([]int32, n),
	}
	if slices.ContainsFunc(policies, func(p *policyTable) bool { return p != nil }) {
		// The other positions do not matter, even if the policies would never end the game there.
		ev.reached = reachable(l, l.initial(), policies)
	}
	if err := ev.run(ctx, progress); err != nil {
		return nil, fmt.Errorf("tabular: from position %s: %w", text(l.rules, l.states.Key(ev.to-1)), err)
	}
	return ev, nil
}

func (ev *evaluation) free(i uint32) bool {
	mover := ev.mover[i]
	return mover >= 0 && ev.policies[mover] == nil
}

// successors returns the successors of position i under the current choices, with their
// probabilities, some of which may be zero.
func (ev *evaluation) successors(i uint32) ([]uint32, []float64) {
	row := ev.edges.row(i)
	switch mover := ev.mover[i]; {
	case mover == game.Chance:
		return row[1:], ev.rows.numbers[row[0]:][:len(row)-1]
	case mover == game.Terminal:
		return nil, nil
	case ev.policies[mover] == nil:
		c := ev.choice[i]
		return row[c : c+1], certain
	default:
		return row, ev.policies[mover].at(i, len(row))
	}
}

// at returns the values of position i [P].
func (ev *evaluation) at(i uint32) []float64 {
	k := int(i) * ev.players
	return ev.value[k : k+ev.players]
}

// run evaluates the parts in order.
func (ev *evaluation) run(ctx context.Context, progress func(float64)) error {
	const interval = 1 << 14 // positions between checks of ctx
	next := uint32(0)
	check := func(done uint32) error {
		if done < next {
			return nil
		}
		next = done + interval
		if progress != nil {
			progress(float64(done) / float64(ev.Len()))
		}
		return ctx.Err()
	}
	for part, x := range ev.parts {
		from, to := ev.span(part)
		if x.cyclic {
			ev.enter(from, to)
			if err := check(from); err != nil {
				return err
			}
			if err := ev.cycle(ctx, ev.comp); err != nil {
				return err
			}
			continue
		}
		for i := from; i < to; i++ {
			ev.component = component{i, i + 1}
			if err := check(i); err != nil {
				return err
			}
			ev.solve(i)
		}
	}
	if progress != nil {
		progress(1)
	}
	return nil
}

// enter makes positions the current component.
func (ev *evaluation) enter(from, to uint32) {
	ev.component, ev.comp = component{from, to}, ev.comp[:0]
	for i := from; i < to; i++ {
		if !ev.skips(i) {
			ev.comp = append(ev.comp, i)
		}
	}
}

// skips reports whether position i cannot come up, and is not evaluated.
func (ev *evaluation) skips(i uint32) bool { return ev.reached != nil && !ev.reached.has(i) }

// solve evaluates a position that cannot recur.
func (ev *evaluation) solve(i uint32) {
	switch {
	case ev.skips(i):
	case ev.mover[i] == game.Terminal:
		copy(ev.at(i), ev.returns(i))
	default:
		if ev.free(i) {
			ev.choice[i] = ev.best(i)
		}
		ev.lookAhead(i)
	}
}

// best returns the index of the best move in i for the seat to move, ties to the lowest.
func (ev *evaluation) best(i uint32) int32 {
	ev.options = ev.options[:0]
	for _, j := range ev.next(i) {
		ev.options = append(ev.options, ev.at(j)[ev.mover[i]])
	}
	return int32(max(0, game.BestOption(ev.options))) // 0 if a value is NaN
}

// good reports whether no move in i is better than the choice by more than [game.Tie].
func (ev *evaluation) good(i uint32) bool {
	mover := ev.mover[i]
	chosen := ev.at(ev.next(i)[ev.choice[i]])[mover]
	return !slices.ContainsFunc(ev.next(i), func(j uint32) bool { return ev.at(j)[mover] > chosen+game.Tie })
}

// lookAhead sets the values of i to their expectation over its successors. It returns
// the largest change: absolute for values up to 1, relative above.
func (ev *evaluation) lookAhead(i uint32) (change float64) {
	to, w := ev.successors(i)
	for seat, old := range ev.at(i) {
		v := 0.0
		for k, j := range to {
			v += float64(w[k] * ev.value[int(j)*ev.players+seat])
		}
		ev.at(i)[seat] = v
		change = max(change, math.Abs(v-old)/max(1, math.Abs(v)))
	}
	return change
}

// residual returns the largest violation of the optimality equations.
func (ev *evaluation) residual() (most float64) {
	for i := range uint32(ev.Len()) {
		mover := ev.mover[i]
		if mover == game.Terminal {
			continue
		}
		if ev.free(i) {
			for _, j := range ev.next(i) {
				most = max(most, ev.at(j)[mover]-ev.at(i)[mover])
			}
		}
		to, w := ev.successors(i)
		for seat, have := range ev.at(i) {
			want := 0.0
			for k, j := range to {
				want += float64(w[k] * ev.at(j)[seat])
			}
			most = max(most, math.Abs(want-have))
		}
	}
	return most
}

const (
	// maxRounds of policy iteration and maxSweeps of value iteration are the limits for
	// one component. Chosen: known games need less than ten rounds and a thousandth of
	// the sweeps.
	maxRounds = 100
	maxSweeps = 100_000

	// converged is the largest change in one sweep, as returned by lookAhead, at which
	// values have converged: a few times their rounding error.
	converged = 1e-15
)

// cycle evaluates a component in which positions can recur, by policy iteration.
func (ev *evaluation) cycle(ctx context.Context, comp []uint32) error {
	if !slices.ContainsFunc(comp, ev.free) {
		return ev.solveLinear(ctx, comp)
	}
	if best, err := ev.iterateUnknowns(ctx, comp); best || err != nil {
		return err
	}
	ev.equalise(comp)

	solved, swept := false, false    // by solveLinear in the last round; by iterateValues once
	last := make([]int32, len(comp)) // choices of the current values
	for round := 0; ; round++ {
		for k, i := range comp {
			last[k] = ev.choice[i]
			// After value iteration a choice changes only for a better one: between options
			// as good as each other within game.Tie, rounding could make it change for ever.
			if ev.free(i) && !(swept && ev.good(i)) {
				ev.choice[i] = ev.best(i)
			}
		}
		if solved && ev.sameChoices(comp, last) {
			return nil
		}
		err := ev.solveLinear(ctx, comp)
		if err == errEndless { // solveLinear does not wrap it
			ev.chooseExits(comp)
			if solved && ev.sameChoices(comp, last) {
				return nil
			}
			err = ev.solveLinear(ctx, comp)
		}
		solved = err == nil
		if err != nil && err != errEndless {
			return err
		}
		if err == nil && round%maxRounds < maxRounds-1 {
			continue
		}
		// Policy iteration failed: the choices repeat in a cycle, or never end the game.
		// Value iteration converges where the value is unique.
		if swept {
			if err == nil {
				return fmt.Errorf("%w: in a cycle of %d positions the choices do not converge", game.ErrNoSolution, len(comp))
			}
			return err
		}
		swept, solved = true, false
		if err := ev.iterateValues(ctx, comp); err != nil {
			return err
		}
	}
}

// equalise sets the values of comp to those before a game in which all seats are equal.
func (ev *evaluation) equalise(comp []uint32) {
	for _, i := range comp {
		for seat := range ev.at(i) {
			ev.at(i)[seat] = ev.equalReturn
		}
	}
}

func (ev *evaluation) sameChoices(comp []uint32, last []int32) bool {
	for k, i := range comp {
		if ev.choice[i] != last[k] {
			return false
		}
	}
	return true
}

// iterateValues runs value iteration on comp from equal values until it converges, with
// new choices of the free seats in every sweep.
func (ev *evaluation) iterateValues(ctx context.Context, comp []uint32) error {
	ev.equalise(comp)
	_, err := sweeps(ctx, func() (change float64) {
		for _, i := range comp {
			if ev.free(i) {
				ev.choice[i] = ev.best(i)
			}
			change = max(change, ev.lookAhead(i))
		}
		return change
	})
	return err
}

// sweeps calls sweep until the change that it returns has converged, at most maxSweeps
// times, and returns the last change.
func sweeps(ctx context.Context, sweep func() float64) (change float64, err error) {
	for range maxSweeps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if change = sweep(); change <= converged {
			break
		}
	}
	return change, nil
}

// leaves reports whether j is outside of the component, or known to leave it.
func (ev *evaluation) leaves(j uint32, out []bool) bool { return !ev.has(j) || out[ev.local(j)] }

// findExits completes out, by local index: the positions of comp that can leave it with
// their current choices.
func (ev *evaluation) findExits(comp []uint32, out []bool) {
	for again := true; again; {
		again = false
		for _, i := range comp {
			k := ev.local(i)
			if out[k] {
				continue
			}
			to, w := ev.successors(i)
			for e, j := range to {
				out[k] = out[k] || w[e] > 0 && ev.leaves(j, out)
			}
			again = again || out[k]
		}
	}
}

// chooseExits replaces choices that never leave comp by moves of the same value that do,
// where there are any.
func (ev *evaluation) chooseExits(comp []uint32) {
	out := make([]bool, ev.size())
	for again := true; again; {
		again = false
		ev.findExits(comp, out)
		for _, i := range comp {
			k := ev.local(i)
			if out[k] || !ev.free(i) {
				continue
			}
			mover := ev.mover[i]
			most := ev.at(ev.next(i)[ev.best(i)])[mover]
			for e, j := range ev.next(i) {
				if ev.leaves(j, out) && ev.at(j)[mover] >= most-game.Tie {
					ev.choice[i], out[k], again = int32(e), true, true
					break
				}
			}
			if again {
				break // other positions may now leave with their current choices
			}
		}
	}
}
