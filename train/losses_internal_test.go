// In package train for the counts behind the means of the losses, which a run does
// not report.
package train

import (
	"context"
	"math/rand/v2"
	"testing"

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
		dst[i] = expert.Targets{Start: []int32{0}}
	}
	return nil
}

// TestIdlePart has a part with targets in the first iteration only.
func TestIdlePart(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	cfg := DefaultConfig(TurnExact)
	cfg.Rows = 20
	cfg.Hidden = []int{8}
	mlp, err := models.NewMLP(cfg.shape(g.Spec()), rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	l, err := gorgonia.New(mlp, cfg.Adam)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExpertIteration(&cfg, Settings{}, g, l, jobs.Local{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		m, err := e.Iterate(t.Context(), 0.5)
		if err != nil {
			t.Fatal(err)
		}
		n, decisions := 0, 0
		for _, p := range e.parts {
			for _, s := range p.found {
				n += s.values()
				decisions += s.decisions()
			}
		}
		if n == 0 || m.Value.N != float64(n) || m.Policy.N != float64(decisions) {
			t.Errorf("iteration %d: the losses are of %v positions and %v decisions; want %d and %d", i+1, m.Value.N, m.Policy.N, n, decisions)
		}
		e.parts[1].search = idle{e.parts[1].search}
	}
}
