package train

import "marsgym/env/game"

// end is how a step ended.
type end uint8

const (
	running    end = iota
	terminated     // by the rules
	truncated      // by a limit of the batch
)

// trajectory is T steps of N games of P seats. Values and rewards are by seat.
type trajectory struct {
	players   int           // P
	mover     []game.Player // [T, N]
	reward    []float32     // [T, N, P] earned by the step
	ended     []end         // [T, N]
	value     []float32     // [T+1, N, P] before the step; the last row after all of them
	bootstrap []float32     // [T, N, P] the value after a truncated step, else unused
	listed    []bool        // [T, N] the outcomes of chance in the step are listed
	expected  []float32     // [T, N, P] of listed steps: the expectation of r + γ·V(t+1) over them, else unused
}

// advantages fills adv [T, N, P] with generalised advantage estimates for all
// seats:
//
//	δ(t)[p] = r(t)[p] + γ·V(t+1)[p] − V(t)[p]
//	A(t)[p] = Σ_k (γλ)^k δ(t+k)[p]
//
// The sum stops at a terminated step, whose δ has no V(t+1), and at a truncated
// one, whose δ has bootstrap in its place. The δ of a step with listed outcomes has their
// expectation in the place of r(t) + γ·V(t+1): the difference is 0 in the mean and only adds
// variance. A move is credited with its mover's
// component; the target of the values is A + V.
//
// Sources: Schulman et al., arXiv:1506.02438, eq. 16, applied to each seat; the expectation over
// chance is a control variate as in Burch et al., "AIVAT", arXiv:1612.06915.
func advantages(adv []float32, tr trajectory, gamma, lambda float64) {
	p := tr.players
	width := len(tr.value) - len(tr.reward) // N·P
	g, gl := float32(gamma), float32(gamma*lambda)
	for at := len(tr.reward) - width; at >= 0; at -= width {
		for i := at; i < at+width; i += p {
			ended, listed := tr.ended[i/p], tr.listed[i/p]
			for j := i; j < i+p; j++ {
				a := tr.reward[j] - tr.value[j]
				switch {
				case listed:
					a = tr.expected[j] - tr.value[j]
				case ended == truncated:
					a += float32(g * tr.bootstrap[j])
				case ended == running:
					a += float32(g * tr.value[j+width])
				}
				if ended == running && j+width < len(adv) {
					a += float32(gl * adv[j+width])
				}
				adv[j] = a
			}
		}
	}
}
