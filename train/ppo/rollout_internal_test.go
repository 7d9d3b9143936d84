// In package ppo for the expectations of a rollout, which a run does not report.
package ppo

import (
	"math"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/random"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// TestExpect compares the expectations over chance with sums over the rules' outcomes.
func TestExpect(t *testing.T) {
	for _, id := range []string{"pig", "martian-risk-small"} {
		t.Run(id, func(t *testing.T) {
			const rows, gamma = 16, 0.5
			g := testgames.Open(t, id, 0, "{}")
			b := g.NewBatch(rows, 0)
			b.Reset(1)
			r := newRollout(b, 0, models.Score, Config{Horizon: 1, Outcomes: 8, Gamma: gamma})
			mlp := network(t, g, models.Score)
			listed, ends := 0, 0
			for range 500 {
				buf := b.Buffers()
				for i := range rows {
					legal := appendLegal(nil, buf.Mask[i*r.spec.Actions:][:r.spec.Actions])
					buf.Action[i] = legal[random.Below(&buf.Noise[i], len(legal))]
				}
				r.expect(mlp, 0)
				before := b.Decisions(nil)
				for i := range rows {
					if !r.listed[i] {
						continue
					}
					listed++
					after, err := before.Position(i).Apply(buf.Action[i])
					if err != nil {
						t.Fatal(err)
					}
					want := make([]float64, r.p)
					ends += expectation(want, mlp, after, 1, gamma)
					for j, w := range want {
						if got := float64(r.expected[i*r.p+j]); !(math.Abs(got-w) <= 1e-5) {
							t.Fatalf("row %d, seat %d: expectation %v; want %v", i, j, got, w)
						}
					}
				}
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
			}
			if listed == 0 || ends == 0 {
				t.Errorf("%d steps are listed, with %d outcomes that end a game; want some of both", listed, ends)
			}
		})
	}
}

// expectation adds the expectation of r + γ·V over what can follow p, which is reached with
// probability prob, to sum, and returns how many outcomes end the game.
func expectation(sum []float64, mlp *models.MLP, p env.Position, prob, gamma float64) (ends int) {
	switch who := p.CurrentPlayer(); who {
	case game.Chance:
		for _, o := range p.Outcomes() {
			ends += expectation(sum, mlp, o.State, prob*o.Prob, gamma)
		}
		return ends
	case game.Terminal:
		for j, r := range p.Returns() {
			sum[j] += prob * r
		}
		return 1
	default:
		values := make([]float32, len(sum))
		mlp.Forward(nil, values, p.Decisions().Obs())
		for j, v := range values {
			sum[(int(who)+j)%len(sum)] += prob * gamma * float64(v)
		}
		return 0
	}
}
