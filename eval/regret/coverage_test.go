package regret_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/eval/regret"
	"marsgym/internal/test/fulltest"
)

// exactly returns the exact win of an agent against optimal play, averaged over the seats.
func (s *solved) exactly(t *testing.T, e *eval.ExactEvaluator, a *agents.Agent) float64 {
	t.Helper()
	seats := []*agents.Agent{a}
	for len(seats) < s.game.Spec().Players {
		seats = append(seats, s.exact)
	}
	m, err := e.Multiplayer(t.Context(), seats)
	if err != nil {
		t.Fatal(err)
	}
	return m.Mean
}

func (s *solved) measure(t *testing.T, a *agents.Agent, o regret.Options) *regret.Report {
	t.Helper()
	o.Concurrency = max(1, o.Concurrency)
	if o.Others == nil {
		o.Others = []*agents.Agent{s.exact}
	}
	r, err := regret.Measure(t.Context(), s.game, s.solution, regret.Agent(a), a.Name, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCoverage: of 100 intervals of each of ten agents in three games, 98.5 to 99.6 % hold the exact
// value, and at least 95 of each agent. A sample of the same repetitions is tested otherwise.
func TestCoverage(t *testing.T) {
	fulltest.Gate(t)
	repetitions, least, most := 2, 0.9, 1.0
	if fulltest.On() {
		repetitions, least, most = 100, 0.985, 0.996
	}
	const games = 200
	held, all := 0, 0
	for _, c := range []struct{ id, config string }{{"pig", `{"target": 30}`}, {"martian-dice", `{"target": 3}`}, {"martian-risk-tiny", `{"max_rounds": 1}`}} {
		s := solve(t, c.id, c.config)
		e, err := eval.NewExactEvaluator(s.game, s.solution)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.agents) != 10 {
			t.Fatalf("%d agents", len(s.agents))
		}
		for _, a := range s.agents {
			want, holds, reductions := s.exactly(t, e, a), 0, []float64{}
			var width float64
			for seed := range repetitions {
				r := s.measure(t, a, regret.Options{Games: games, Seed: uint64(seed), Concurrency: 2})
				if r.Low-1e-9 <= want && want <= r.High+1e-9 {
					holds++
				}
				width += (r.High - r.Low) / 2 / float64(repetitions)
				reductions = append(reductions, r.VarianceReduction)
			}
			slices.Sort(reductions)
			t.Logf("%s, %s: exact %.4f, %d of %d intervals hold it, ± %.4f, variance reduction %.1f", c.id, a.Name, want, holds, repetitions, width, reductions[len(reductions)/2])
			if fulltest.On() && holds < 95 {
				t.Errorf("%s, %s: only %d of 100 intervals hold %.4f", c.id, a.Name, holds, want)
			}
			held, all = held+holds, all+repetitions
		}
	}
	share := float64(held) / float64(all)
	if !(share >= least && share <= most) || math.IsNaN(share) {
		t.Errorf("%d of %d intervals hold the exact value", held, all)
	}
}
