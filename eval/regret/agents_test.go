package regret_test

import (
	"context"
	"fmt"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/test/testgames"
)

// end plays the legal action of the highest number.
type end struct{}

func (end) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	mask := d.Mask()
	n := len(mask) / d.Len()
	for i := range d.Len() {
		for a := n - 1; ; a-- {
			if mask[i*n+a] {
				dst[i*n+a] = 1
				break
			}
		}
	}
	return nil
}

// solved is a small game with its solution and ten agents from weak to perfect.
type solved struct {
	game     env.Game
	solution env.Solution
	agents   []*agents.Agent
	exact    *agents.Agent
}

func solve(t testing.TB, id, config string) *solved {
	t.Helper()
	g, err := catalog.Open(id, 0, []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) *agents.Agent {
		a, err := agents.Open(t.Context(), name, agents.Options{Game: g, Sample: true, Solve: func(context.Context) (env.Solution, error) { return s, nil }})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	random, greedy, exact := open("random"), open("greedy"), open(agents.Exact)
	list := []*agents.Agent{random, greedy, exact, {Name: "end", Policy: end{}}}
	for _, share := range []float64{0.3, 0.7, 0.9, 0.97} {
		list = append(list, &agents.Agent{Name: fmt.Sprintf("slips:%v", share), Policy: testgames.Mixture{A: exact, B: random, Prob: share}})
	}
	list = append(list, &agents.Agent{Name: "half-random", Policy: testgames.Mixture{A: greedy, B: random, Prob: 0.5}}, &agents.Agent{Name: "half-exact", Policy: testgames.Mixture{A: greedy, B: exact, Prob: 0.5}})
	return &solved{g, s, list, exact}
}
