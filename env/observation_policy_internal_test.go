package env

// This test is inside the package because only a game with more than 8,192 decisions
// at once would take several calls of a policy.

import (
	"slices"
	"testing"

	"marsgym/env/pig"
	"marsgym/internal/core"
)

// byObs is a policy that returns numbers computed from the observations. It counts its
// calls.
type byObs struct{ calls int }

func (p *byObs) Probs(dst []float64, d Decisions) error {
	p.calls++
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

// States that are divided over several calls get the same probabilities as one by
// one.
func TestObservationPolicyCalls(t *testing.T) {
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
	if p.calls < 2 {
		t.Errorf("%d calls; want more than one", p.calls)
	}
	one := make([]float64, n)
	for i := range states {
		if err := o.Probs(one, states[i:i+1]); err != nil {
			t.Fatal(err)
		}
		if got := all[i*n:][:n]; !slices.Equal(got, one) {
			t.Fatalf("state %d: %v; alone %v", i, got, one)
		}
	}
}
