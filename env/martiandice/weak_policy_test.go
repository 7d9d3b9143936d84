package martiandice_test

import (
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/test/fulltest"
)

// arbitrary scores afterstates by a hash, so that it plays like an untrained network.
type arbitrary struct{ salt int }

func (h arbitrary) Score(dst []float64, after []martiandice.State, movers []game.Player) error {
	for i, s := range after {
		x := h.salt
		for t, n := range s.Aside {
			x = x*31 + int(n) + t
		}
		x = x*31 + int(s.Phase)
		dst[i] = float64(uint32(x) * 2654435761 >> 20)
	}
	return nil
}

func (a arbitrary) Choose(probs, scores []float64, first []uint32) {
	for i, from := range first[:len(first)-1] {
		a.choose(probs[from:first[i+1]], scores[from:first[i+1]])
	}
}

func (arbitrary) Greedy() bool { return true }

func (arbitrary) choose(probs, scores []float64) {
	best := 0
	for i, x := range scores {
		if x > scores[best] {
			best = i
		}
	}
	clear(probs)
	probs[best] = 1
}

func (arbitrary) Probs([]float64, []martiandice.State) error {
	panic("Probs of an AfterstateScorer is called")
}

// TestWeakPolicy computes best responses to policies so weak that most values are
// within rounding of 0 or 1, where many options tie.
func TestWeakPolicy(t *testing.T) {
	fulltest.Gate(t)
	_, s := published(t)
	for salt := range 2 {
		g, err := s.Tabulate(t.Context(), arbitrary{salt})
		if err != nil {
			t.Fatal(err)
		}
		for seat := range game.Player(2) {
			best, err := s.BestResponse(t.Context(), []game.TabularPolicy{g, g}, seat)
			if err != nil {
				t.Fatal(err)
			}
			if !(best > 0.5 && best <= 1) {
				t.Errorf("salt %d: a best response in seat %d has value %v", salt, seat, best)
			}
		}
	}
}
