package tabular

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// CheckEncode returns an error that names two positions if Encode loses something that
// matters to best play: if two decisions with the same observation by their movers
// differ in their legal actions or, by more than tol, in the exact value of one of
// them; or if two positions with the same observation by a seat that is not to move
// differ by more than tol in their value to that seat. It holds the observations of
// every position by every seat in memory.
func (sol *Solution[S]) CheckEncode(ctx context.Context, tol float64) error {
	type view struct {
		at   uint32
		seat game.Player
	}
	var (
		obs       = make([]float32, sol.rules.Spec().ObsLen())
		key       = make([]byte, 0, 4*len(obs))
		decisions = make(map[string]view) // the first with each observation
		others    = make(map[string]view)
	)
	var n Node
	for i := range uint32(sol.Len()) {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		sol.x.Node(&n, i)
		for seat := range game.Player(sol.spec.Players) {
			sol.rules.Encode(obs, sol.state(i), seat)
			key = key[:0]
			for _, x := range obs {
				x += 0 // -0 and 0 are equal
				key = binary.LittleEndian.AppendUint32(key, math.Float32bits(x))
			}
			first, difference := others, sol.valueDifference
			if n.Mover == seat {
				first, difference = decisions, sol.optionDifference
			}
			v, ok := first[string(key)]
			if !ok {
				first[string(key)] = view{i, seat}
			} else if found := difference(v.at, v.seat, i, seat, tol); found != "" {
				return fmt.Errorf("tabular: seat %d observes position %s as seat %d observes %s, but %s",
					seat, text(sol.rules, sol.state(i)), v.seat, text(sol.rules, sol.state(v.at)), found)
			}
		}
	}
	return nil
}

// valueDifference describes the difference between the values of position i to seat p
// and of j to seat q. It returns "" if they are equal within tol.
func (sol *Solution[S]) valueDifference(i uint32, p game.Player, j uint32, q game.Player, tol float64) string {
	if v, w := sol.returnOf(sol.value, i, p), sol.returnOf(sol.value, j, q); !(math.Abs(v-w) <= tol) {
		return fmt.Sprintf("their values are %v and %v", w, v)
	}
	return ""
}

// optionDifference describes the difference between the legal actions or their values in
// decision i of seat p and j of seat q. It returns "" if they are equal within tol.
func (sol *Solution[S]) optionDifference(i uint32, p game.Player, j uint32, q game.Player, tol float64) string {
	legal, other := sol.rules.Legal(nil, sol.state(i)), sol.rules.Legal(nil, sol.state(j))
	if !slices.Equal(legal, other) {
		return fmt.Sprintf("their legal actions are %v and %v", other, legal)
	}
	var n Node
	sol.x.Node(&n, i)
	values := sol.options(nil, &n)
	sol.x.Node(&n, j)
	for k, w := range sol.options(nil, &n) {
		if v := values[k]; !(math.Abs(v-w) <= tol) {
			return fmt.Sprintf("the values of action %d are %v and %v", legal[k], w, v)
		}
	}
	return ""
}

// state returns the representative at a number where seat 0 has role 0.
func (sol *Solution[S]) state(at uint32) S { return sol.x.State(at, 0) }
