// In package train for the counts behind the means of the losses, which a run does
// not report.
package train

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/env"
	"marsgym/internal/jobs"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train/expert"
)

// idle is an expert without targets.
type idle struct{ expert.Expert }

func (idle) Search(_ context.Context, dst []expert.Targets, _ expert.Options, _ expert.Network) error {
	for i := range dst {
		obs, after := dst[i].Obs, dst[i].AfterObs
		obs.Reset()
		after.Reset()
		dst[i] = expert.Targets{Obs: obs, AfterObs: after, Start: []int32{0}}
	}
	return nil
}

// newIteration returns expert iteration for a new network, with a learner that wrap has wrapped, if
// it is not nil.
func newIteration(t *testing.T, g env.Game, cfg *Config, wrap func(models.Learner) models.Learner) *expertIteration {
	t.Helper()
	mlp, err := models.NewMLP(cfg.shape(g.Spec()), rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	l, err := gorgonia.New(mlp, cfg.Adam)
	if err != nil {
		t.Fatal(err)
	}
	if wrap != nil {
		l = wrap(l)
	}
	e, err := newExpertIteration(cfg, Settings{}, g, l, jobs.Local{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestIdlePart has a part with targets in the first iteration only.
func TestIdlePart(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	cfg := DefaultConfig(TurnExact)
	cfg.Rows = 20
	cfg.Hidden = []int{8}
	e := newIteration(t, g, &cfg, nil)
	for i := range 2 {
		m, err := e.Iterate(t.Context(), 0.5)
		if err != nil {
			t.Fatal(err)
		}
		n, decisions := 0, 0
		for _, p := range e.parts {
			for _, s := range p.targets {
				n += len(s.Value) / g.Spec().Players
				decisions += len(s.Start) - 1
			}
		}
		if n == 0 || m.Value.N != float64(n) || m.Policy.N != float64(decisions) {
			t.Errorf("iteration %d: the losses are of %v positions and %v decisions; want %d and %d", i+1, m.Value.N, m.Policy.N, n, decisions)
		}
		e.parts[1].search = idle{e.parts[1].search}
	}
}

// TestExpertFigures computes the metrics of an iteration of expert iteration again, from what
// the search found and the network before the fit.
func TestExpertFigures(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	spec := g.Spec()
	cfg := DefaultConfig(TurnExact)
	cfg.Rows, cfg.Hidden = 20, []int{8}
	e := newIteration(t, g, &cfg, nil)
	before := e.Model().Clone()
	m, err := e.Iterate(t.Context(), 0.5)
	if err != nil {
		t.Fatal(err)
	}
	softmax := func(scores []float32) []float64 {
		probs, sum := make([]float64, len(scores)), 0.0
		for i, x := range scores {
			probs[i] = math.Exp(float64(x))
			sum += probs[i]
		}
		for i := range probs {
			probs[i] /= sum
		}
		return probs
	}
	var policy, entropy, value, divergence, choices, positions, decisions, games float64
	for _, part := range e.parts {
		for _, s := range part.targets {
			decisions, games = decisions+float64(s.Decisions), games+float64(s.Games)
			scores, values := make([]float32, s.Obs.Len()), make([]float32, s.Obs.Len()*2)
			before.ForwardObservations(scores, values, s.Obs, 0, s.Obs.Len())
			n := len(s.Value) / 2
			for i := range n {
				positions++
				for j, share := range softmax(values[2*i : 2*i+2]) {
					want := (float64(s.Value[2*i+j]) - spec.Loss) / (spec.Win - spec.Loss)
					value += (share - want) * (share - want) / 2
					if want > 0 {
						divergence += want * math.Log(want/share)
					}
				}
			}
			for i, from := range s.Start[:len(s.Start)-1] {
				choices++
				for k, q := range softmax(scores[n+int(from) : n+int(s.Start[i+1])]) {
					if want := s.Policy[int(from)+k]; want > 0 {
						policy += want * math.Log(want/q)
					}
					entropy -= q * math.Log(q)
				}
			}
		}
	}
	for _, f := range []struct {
		name   string
		got    Mean
		sum, n float64
	}{
		{"policy_loss", m.Policy, policy, choices},
		{"value_loss", m.Value, value, positions},
		{"entropy", m.Entropy, entropy, choices},
		{"divergence of the values", m.ValueKL, divergence, positions},
		{"decisions", Mean{Sum: float64(m.Decisions), N: 1}, decisions, 1},
		{"games", Mean{Sum: float64(m.Games), N: 1}, games, 1},
	} {
		if f.n == 0 || f.got.N != f.n || !(math.Abs(f.got.Value()-f.sum/f.n) <= 1e-6) {
			t.Errorf("%s is %v over %v terms; want %v over %v", f.name, f.got.Value(), f.got.N, f.sum/f.n, f.n)
		}
	}
	if !m.KL.IsZero() || !m.Clipped.IsZero() || m.GradNorm.N != 1 {
		t.Errorf("expert iteration has no KL, no clipping and one step: %+v", m.Losses)
	}
}
