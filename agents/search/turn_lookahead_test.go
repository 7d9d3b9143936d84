package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/agents/search"
	"marsgym/env/game"
	"marsgym/env/martiandice"
)

// TestStartValues: the start of a turn is seen by its mover or, if values are of
// afterstates, by the seat before.
func TestStartValues(t *testing.T) {
	cfg := martiandice.DefaultConfig()
	cfg.Players = 3
	r, err := martiandice.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	spec := r.Spec()
	for target, before := range map[search.ValueTarget]game.Player{search.TurnStart: 0, search.Afterstate: 1} {
		var seen []float32
		policy, err := search.LookaheadOf(r, 0, &search.Evaluator{Target: target, Forward: func(_, values, obs []float32) {
			copy(values, []float32{1, 2, 3}) // of the viewer and the seats after it
			seen = slices.Clone(obs)
		}})
		if err != nil {
			t.Fatal(err)
		}
		dice := rand.NewPCG(1, 2)
		for range 20 {
			start := r.SampleStart(dice)
			mover, _ := r.TurnStart(start)
			viewer := (mover + 3 - before) % 3
			obs, values := make([]float32, spec.ObsLen()), make([]float64, 3)
			r.Encode(obs, start, viewer)
			if err := policy.(game.Lookahead[martiandice.State]).Values(t.Context(), values, []martiandice.State{start}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(seen, obs) {
				t.Errorf("%s: the turn of seat %d is not seen by seat %d", target, mover, viewer)
			}
			for i := range 3 {
				if got := values[(int(viewer)+i)%3]; got != float64(1+i) {
					t.Errorf("%s, the turn of seat %d: values %v", target, mover, values)
				}
			}
		}
	}
}
