// In package ppo for a function that a run calls on rollouts only.
package ppo

import (
	"math"
	"testing"
)

// TestAdvantages compares with sums computed by hand: one game of two seats, γ = 1/2
// and λ = 1/2, so γλ = 1/4. Advantages of all seats do not depend on the mover, so a
// player who moves twice in a row needs no case of its own.
func TestAdvantages(t *testing.T) {
	none := float32(math.NaN())
	for _, test := range []struct {
		name      string
		reward    []float32 // [T, 2]
		value     []float32 // [T+1, 2]
		ended     []end
		bootstrap []float32 // [T, 2]; nil for zeros
		expected  []float32 // [T, 2]; nil if no outcomes are listed, NaN where a step has none
		want      []float32 // [T, 2]
	}{
		{
			name:   "seat 0 moves twice, seat 1 once, and the game goes on",
			reward: []float32{0, 0, 0, 0, 1, -1},
			value:  []float32{2, -2, 4, -4, 0, 0, 8, -8},
			ended:  []end{running, running, running},
			// δ(0) = 0 + 2 − 2 = 0; δ(1) = 0 + 0 − 4 = −4; δ(2) = 1 + 4 − 0 = 5
			// A(2) = 5; A(1) = −4 + 5/4 = −2.75; A(0) = 0 − 2.75/4 = −0.6875
			want: []float32{-0.6875, 0.6875, -2.75, 2.75, 5, -5},
		},
		{
			name:   "a game ends by the rules after the second step",
			reward: []float32{0, 0, 1, -1, 0, 0},
			value:  []float32{2, -2, 4, -4, 6, -6, 8, -8},
			ended:  []end{running, terminated, running},
			// δ(0) = 0; δ(1) = 1 − 4 = −3, without a value after it; δ(2) = 4 − 6 = −2
			want: []float32{-0.75, 0.75, -3, 3, -2, 2},
		},
		{
			name:      "a game is truncated after the second step",
			reward:    []float32{0, 0, 0, 0, 0, 0},
			value:     []float32{2, -2, 4, -4, 6, -6, 8, -8},
			ended:     []end{running, truncated, running},
			bootstrap: []float32{9, 9, 10, -10, 9, 9},
			// δ(1) = 0 + 10/2 − 4 = 1; δ(0) = 0
			want: []float32{0.25, -0.25, 1, -1, -2, 2},
		},
		{
			name:     "the chance of the first and the last step is listed",
			reward:   []float32{0, 0, 0, 0, 1, -1},
			value:    []float32{2, -2, 4, -4, 0, 0, 8, -8},
			ended:    []end{running, running, terminated},
			expected: []float32{3, -3, none, none, 0.5, -0.5},
			// δ(0) = 3 − 2 = 1; δ(1) = 0 + 0 − 4 = −4; δ(2) = 0.5 − 0
			// A(2) = 0.5; A(1) = −4 + 0.5/4 = −3.875; A(0) = 1 − 3.875/4 = 0.03125
			want: []float32{0.03125, -0.03125, -3.875, 3.875, 0.5, -0.5},
		},
		{
			name:   "rewards need not sum to 0",
			reward: []float32{0, 0, 3, 0, 0, 0},
			value:  make([]float32, 8),
			ended:  []end{running, running, running},
			want:   []float32{0.75, 0, 3, 0, 0, 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			adv := make([]float32, len(test.reward))
			for i := range adv {
				adv[i] = float32(math.NaN())
			}
			if test.bootstrap == nil {
				test.bootstrap = make([]float32, len(test.reward))
			}
			listed := make([]bool, len(test.ended))
			for i := range test.expected {
				listed[i/2] = !math.IsNaN(float64(test.expected[i]))
			}
			r := rollout{n: 1, p: 2, cfg: Config{Gamma: 0.5, Lambda: 0.5}, adv: adv, reward: test.reward, ended: test.ended, value: test.value, bootstrap: test.bootstrap, listed: listed, expected: test.expected}
			r.advantages()
			for i, want := range test.want {
				if !(math.Abs(float64(adv[i]-want)) <= 1e-6) {
					t.Errorf("step %d, seat %d: %v; want %v", i/2, i%2, adv[i], want)
				}
			}
		})
	}
}
