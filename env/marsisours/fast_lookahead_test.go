package marsisours_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"marsgym/agents/search"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/internal/test/fulltest"
)

// hashedValues returns an evaluator of decisions whose values are a hash of the
// observation, one of so many levels.
func hashedValues(r *marsisours.Rules, levels uint64) *search.Evaluator {
	d := r.Spec().ObsLen()
	return &search.Evaluator{Target: search.Decision, Forward: func(_, values, obs []float32) {
		for i := range values {
			sum := fnv.New64a()
			sum.Write([]byte{byte(i % 2)})
			for _, x := range obs[i/2*d:][:d] {
				sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
			}
			values[i] = float32(sum.Sum64()>>8%levels)/float32(levels-1)*2 - 1
		}
	}}
}

// asked is a policy of which a solution knows nothing else.
type asked struct{ policy }

// returns evaluates a policy in both seats against random play, which reaches all that
// can follow the policy's own actions, and then its best responses.
func returns(t *testing.T, sol solution, p, random policy) (list [4]float64) {
	t.Helper()
	table, other := tabulate(t, sol, p), tabulate(t, sol, random)
	for seat := range game.Player(2) {
		seats := []game.TabularPolicy{other, other}
		seats[seat] = table
		v, err := sol.Evaluate(t.Context(), nil, seats)
		if err != nil {
			t.Fatal(err)
		}
		list[seat] = v[seat]
		if list[2+seat], err = sol.BestResponse(t.Context(), []game.TabularPolicy{table, table}, seat); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestFastLookahead: the values backed up over the table give the same policy as a
// look-ahead from each decision. With few levels most options are equal.
func TestFastLookahead(t *testing.T) {
	fulltest.Gate(t)
	small(t, func(t *testing.T, r *marsisours.Rules) {
		compareLookahead(t, r, 2, 0)
		compareLookahead(t, r, 3, 2)
		compareLookahead(t, r, 1<<20, 0)
	})
	t.Run("half", func(t *testing.T) { compareLookahead(t, halfRobots(t), 1<<20, 1) })
}

// compareLookahead compares the two ways.
func compareLookahead(t *testing.T, r *marsisours.Rules, levels uint64, plies int) {
	t.Helper()
	sol := solve(t, r)
	p, err := search.LookaheadOf(r, plies, hashedValues(r, levels))
	if err != nil {
		t.Fatal(err)
	}
	random := game.Uniform[state]{Rules: r}
	got, want := returns(t, sol, p, random), returns(t, sol, asked{p}, random)
	if got != want {
		t.Errorf("%d levels, %d plies: returns %v; by decisions %v", levels, plies, got, want)
	}
}
