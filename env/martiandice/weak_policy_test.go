package martiandice_test

import (
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
)

// hapless scores afterstates by their number, so that it plays at whim,
// as an untrained network does.
type hapless struct{ salt int }

func (h hapless) Score(dst []float64, after []martiandice.State, movers []game.Player) error {
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

func (hapless) Choose(probs, scores []float64) {
	best := 0
	for i, x := range scores {
		if x > scores[best] {
			best = i
		}
	}
	clear(probs)
	probs[best] = 1
}

func (hapless) Probs([]float64, []martiandice.State) error { panic("it is asked for scores") }

// TestHapless finds best responses to players so weak that most values are
// within rounding of 0 or 1, where options tie by the dozen.
func TestHapless(t *testing.T) {
	_, s := published(t)
	for salt := range 2 {
		g, err := s.Tabulate(t.Context(), hapless{salt})
		if err != nil {
			t.Fatal(err)
		}
		for seat := range game.Player(2) {
			best, err := s.BestResponse(t.Context(), []game.TabularPolicy{g, g}, seat)
			if err != nil {
				t.Fatal(err)
			}
			if !(best > 0.5 && best <= 1) {
				t.Errorf("salt %d: a best response in seat %d is worth %v", salt, seat, best)
			}
		}
	}
}
