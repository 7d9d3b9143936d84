package env_test

import (
	"context"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/pig"
)

// byObs is a policy that returns numbers computed from the observations. It counts its
// calls.
type byObs struct{ calls int }

func (p *byObs) Probs(dst []float64, d env.Decisions) error {
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

// asking is Pig with a solution that hands the policy which it tabulates to ask.
type asking struct {
	*pig.Rules
	ask func(game.Policy[pig.State]) error
}

func (g asking) Solve(context.Context, func(float64)) (game.Solution[pig.State], error) {
	return asked{ask: g.ask}, nil
}

type asked struct {
	game.Solution[pig.State]
	ask func(game.Policy[pig.State]) error
}

func (s asked) Tabulate(_ context.Context, p game.Policy[pig.State]) (game.TabularPolicy, error) {
	return nil, s.ask(p)
}

// A solver can ask for more decisions than a policy over observations gets in one call: states that
// are divided over several calls get the same probabilities as one by one.
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
	n := rules.Spec().Actions
	ask := func(o game.Policy[pig.State]) error {
		all := make([]float64, len(states)*n)
		if err := o.Probs(all, states); err != nil {
			return err
		}
		if p.calls < 2 {
			t.Errorf("%d calls; want more than one", p.calls)
		}
		one := make([]float64, n)
		for i := range states {
			if err := o.Probs(one, states[i:i+1]); err != nil {
				return err
			}
			if got := all[i*n:][:n]; !slices.Equal(got, one) {
				t.Fatalf("state %d: %v; alone %v", i, got, one)
			}
		}
		return nil
	}
	solution, err := env.NewGame[pig.State](asking{rules, ask}).Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solution.Tabulate(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}
