package train

import "marsgym/env/game"

// End is how a step ended.
type End uint8

const (
	Running    End = iota
	Terminated     // the game was over
	Truncated      // it was cut off, and is worth what it was then
)

// Trajectory is T steps of N games of P seats. Values and rewards are by seat.
type Trajectory struct {
	Players   int           // P
	Mover     []game.Player // [T, N]
	Reward    []float32     // [T, N, P] earned by the step
	Ended     []End         // [T, N]
	Value     []float32     // [T+1, N, P] before the step; the last row after all of them
	Bootstrap []float32     // [T, N, P] the value after a truncated step, else unused
}

// Advantages fills adv [T, N, P] with generalised advantage estimates for all
// seats:
//
//	δ(t)[p] = r(t)[p] + γ·V(t+1)[p] − V(t)[p]
//	A(t)[p] = Σ_k (γλ)^k δ(t+k)[p]
//
// The sum stops at a terminated step, after which nothing follows, and at a
// truncated one, after which Cut does. A move is credited with its mover's
// component; A + V is what the values should have been.
//
// Source: Schulman et al., arXiv:1506.02438, eq. 16, applied to each seat.
func Advantages(adv []float32, tr Trajectory, gamma, lambda float64) {
	p := tr.Players
	width := len(tr.Value) - len(tr.Reward) // N·P
	g, gl := float32(gamma), float32(gamma*lambda)
	for at := len(tr.Reward) - width; at >= 0; at -= width {
		for i := at; i < at+width; i += p {
			ended := tr.Ended[i/p]
			for j := i; j < i+p; j++ {
				a := tr.Reward[j] - tr.Value[j]
				switch {
				case ended == Truncated:
					a += g * tr.Bootstrap[j]
				case ended == Running:
					a += g * tr.Value[j+width]
					if j+width < len(adv) {
						a += gl * adv[j+width]
					}
				}
				adv[j] = a
			}
		}
	}
}
