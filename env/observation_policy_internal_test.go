package env

// This test is inside the package since only a game with very many decisions a
// turn would ask for more than a portion of them at once.

import (
	"slices"
	"testing"

	"marsgym/env/internal/core"
	"marsgym/env/pig"
)

// byObs answers with what it sees, and counts how often it is asked.
type byObs struct{ asked int }

func (p *byObs) Probs(dst []float64, d Decisions) error {
	p.asked++
	n, w := len(dst)/d.Len(), len(d.Obs())/d.Len()
	for i := range d.Len() {
		sum := float32(0)
		for k, x := range d.Obs()[i*w:][:w] {
			sum += x * float32(k+1)
		}
		for a := range n {
			dst[i*n+a] = float64(sum) + float64(a)
		}
	}
	return nil
}

// TestOutsiderPortions: policies that are asked portion by portion give each
// state its own answer.
func TestOutsiderPortions(t *testing.T) {
	rules, err := pig.New(pig.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var states []pig.State
	for i := range 20_000 {
		states = append(states, pig.State{Score: [10]uint8{uint8(i % 100), uint8(i / 100 % 100)}})
	}
	p := new(byObs)
	o := observationPolicy[pig.State]{p, decisionBatch[pig.State]{rules: core.New[pig.State](rules)}}
	n := rules.Spec().Actions
	all := make([]float64, len(states)*n)
	if err := o.Probs(all, states); err != nil {
		t.Fatal(err)
	}
	if p.asked < 2 {
		t.Errorf("asked %d times; want more than one portion", p.asked)
	}
	one := make([]float64, n)
	for i := range states {
		if err := o.Probs(one, states[i:i+1]); err != nil {
			t.Fatal(err)
		}
		if got := all[i*n:][:n]; !slices.Equal(got, one) {
			t.Fatalf("state %d: %v; asked alone %v", i, got, one)
		}
	}
}
