package agents

import "marsgym/env/game"

// Shares fills dst [P] with the shares of the win that values of the kind
// [models.Shares] say, of one position.
func Shares(dst []float64, values []float32) {
	for j := range dst {
		dst[j] = float64(values[j])
	}
	Softmax(dst, dst)
}

// Returns turns values [n, P] of the kind [models.Shares] into expected returns, in
// their place.
func Returns(spec game.Spec, values []float32) {
	share := make([]float64, spec.Players)
	for ; len(values) > 0; values = values[len(share):] {
		Shares(share, values)
		for j, x := range share {
			values[j] = float32(spec.Return(x))
		}
	}
}
