package tabular

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
)

// CheckEncode returns an error, which names two positions, if decisions that
// look the same to their mover differ in their legal actions or, by more than
// tol, in the exact value of one: then Encode loses something that changes best
// play. It looks at every decision of the game and keeps what each looks like
// in memory.
func (sol *Solution[S]) CheckEncode(ctx context.Context, tol float64) error {
	obs := make([]float32, sol.rules.Spec().ObsLen())
	key := make([]byte, 0, 4*len(obs))
	first := make(map[string]int32)
	var legal, otherLegal []game.Action
	for i := range int32(len(sol.nodes)) {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		turn := sol.nodes[i].turn
		if turn < 0 {
			continue
		}
		sol.rules.Encode(obs, sol.states[i], turn)
		key = key[:0]
		for _, x := range obs {
			x += 0 // -0 and 0 look the same
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(x))
		}
		j, ok := first[string(key)]
		if !ok {
			first[string(key)] = i
			continue
		}
		legal = sol.rules.Legal(legal[:0], sol.states[i])
		otherLegal = sol.rules.Legal(otherLegal[:0], sol.states[j])
		if !slices.Equal(legal, otherLegal) {
			return fmt.Errorf("tabular: positions %s and %s look the same but differ in their legal actions: %v and %v",
				sol.text(sol.states[i]), sol.text(sol.states[j]), legal, otherLegal)
		}
		other := sol.next(j)
		for k, next := range sol.next(i) {
			v, w := sol.at(next)[turn], sol.at(other[k])[sol.nodes[j].turn]
			if !(math.Abs(v-w) <= tol) {
				return fmt.Errorf("tabular: positions %s and %s look the same but action %d is worth %v and %v",
					sol.text(sol.states[i]), sol.text(sol.states[j]), legal[k], v, w)
			}
		}
	}
	return nil
}
