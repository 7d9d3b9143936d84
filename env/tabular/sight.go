package tabular

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// CheckEncode returns an error, which names two positions, if Encode loses
// something that changes best play: if two decisions that look the same to
// their mover differ in their legal actions or, by more than tol, in the exact
// value of one; or if two positions that look the same to a seat not to move
// differ so in their value to it. It looks at every position through the eyes
// of every seat, and keeps what it saw in memory.
func (sol *Solution[S]) CheckEncode(ctx context.Context, tol float64) error {
	type view struct {
		node int32
		seat game.Player
	}
	var (
		obs       = make([]float32, sol.rules.Spec().ObsLen())
		key       = make([]byte, 0, 4*len(obs))
		decisions = make(map[string]view) // the first with that look
		elsewhere = make(map[string]view)
	)
	for i := range int32(len(sol.nodes)) {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for seat := range game.Player(sol.players) {
			sol.rules.Encode(obs, sol.states[i], seat)
			key = key[:0]
			for _, x := range obs {
				x += 0 // -0 and 0 look the same
				key = binary.LittleEndian.AppendUint32(key, math.Float32bits(x))
			}
			first, differ := elsewhere, sol.differ
			if sol.nodes[i].turn == seat {
				first, differ = decisions, sol.differInOptions
			}
			v, ok := first[string(key)]
			if !ok {
				first[string(key)] = view{i, seat}
			} else if how := differ(v.node, v.seat, i, seat, tol); how != "" {
				return fmt.Errorf("tabular: position %s looks to seat %d as %s to seat %d, but %s",
					sol.text(sol.states[i]), seat, sol.text(sol.states[v.node]), v.seat, how)
			}
		}
	}
	return nil
}

// differ says how position i differs in value to seat p from j to seat q, or "".
func (sol *Solution[S]) differ(i int32, p game.Player, j int32, q game.Player, tol float64) string {
	if v, w := sol.at(i)[p], sol.at(j)[q]; !(math.Abs(v-w) <= tol) {
		return fmt.Sprintf("their values are %v and %v", w, v)
	}
	return ""
}

// differInOptions says how decision i of seat p differs from j of seat q, or "".
func (sol *Solution[S]) differInOptions(i int32, p game.Player, j int32, q game.Player, tol float64) string {
	legal, other := sol.rules.Legal(nil, sol.states[i]), sol.rules.Legal(nil, sol.states[j])
	if !slices.Equal(legal, other) {
		return fmt.Sprintf("their legal actions are %v and %v", other, legal)
	}
	next := sol.next(j)
	for k, to := range sol.next(i) {
		if v, w := sol.at(to)[p], sol.at(next[k])[q]; !(math.Abs(v-w) <= tol) {
			return fmt.Sprintf("action %d is worth %v and %v", legal[k], w, v)
		}
	}
	return ""
}
