// In package ppo for the pool, of which a run reports only three numbers.
package ppo

import (
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/test/dice"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/method"
)

// TestFrozen: an agent is the only opponent, in all seats but one of every row, whatever the
// settings say.
func TestFrozen(t *testing.T) {
	g := testgames.Open(t, "pig", 3, `{"target": 20}`)
	bot, err := g.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	agent := &agents.Agent{Name: "the agent", Policy: bot}
	r := newRollout(g.NewBatch(8, 0), 0, models.Score, Config{Horizon: 1})
	r.batch.Reset(1)
	p, err := newPool(method.Opponents{Fraction: 0.5, Bots: method.Bots{"random": 1}, Population: 2}, g, []*rollout{r}, agent)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Bots, []string{"the agent"}) || len(p.policies) != 1 || p.policies[0] != env.Policy(agent) || p.cfg.Population != 0 {
		t.Errorf("the opponents are %q, with %d policies and a population of %d", p.Bots, len(p.policies), p.cfg.Population)
	}
	for i, seats := range r.pool.rows {
		own := 0
		for _, k := range seats {
			if k == itself {
				own++
			}
		}
		if len(seats) != 3 || own != 1 || slices.Max(seats) != 1 {
			t.Errorf("row %d has the opponents %v; want the agent in two of three seats", i, seats)
		}
	}
}

// TestBots: bots without games are no opponents, nor are any where no row has opponents.
func TestBots(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	for _, test := range []struct {
		fraction float64
		want     []string
	}{{1, []string{"random"}}, {0, nil}} {
		cfg := method.Opponents{Fraction: test.fraction, Bots: method.Bots{"random": 0.5, "greedy": 0, "nobody": 0}}
		if p := newTestPool(t, cfg, g, nil); !slices.Equal(p.Bots, test.want) || len(p.policies) != len(test.want) {
			t.Errorf("with a fraction of %v the bots are %q, with %d policies; want %q", test.fraction, p.Bots, len(p.policies), test.want)
		}
	}
	if _, err := newPool(method.Opponents{Fraction: 1, Bots: method.Bots{"nobody": 1}}, g, nil, nil); err == nil || !strings.Contains(err.Error(), `pig has no bot "nobody"`) {
		t.Errorf("of an unknown bot the error is %v", err)
	}
}

// TestNetworkPolicies: a network of the population plays its best action, and a copy samples.
func TestNetworkPolicies(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	mlp := network(t, g, models.Score)
	p := newTestPool(t, method.Opponents{Fraction: 1, Population: 1, PopulationSteps: 0.5, Size: 1, Interval: 0.5}, g, nil)
	p.join(mlp)
	p.begin(mlp, 0.5)
	at, err := g.Parse("3-4@0 turn 5")
	if err != nil {
		t.Fatal(err)
	}
	for k, sampled := range []bool{false, true} {
		probs := make([]float64, 2)
		if err := env.Probs(t.Context(), p.policies[k], probs, env.DecisionsOf([]env.Position{at})); err != nil {
			t.Fatal(err)
		}
		if most := slices.Max(probs); (most < 1) != sampled || most == 0 {
			t.Errorf("network %d plays with the probabilities %v; it samples: %v", k, probs, sampled)
		}
	}
}

// TestOpeningLimits: a game has an opening if its number is below the fraction.
func TestOpeningLimits(t *testing.T) {
	for _, test := range []struct {
		u, fraction float64
		begins      bool
	}{{0.25 - 0x1p-53, 0.25, true}, {0.25, 0.25, false}, {1 - 0x1p-53, 1, true}} {
		o := &openings{cfg: Openings{Fraction: test.fraction, Decisions: 1}, left: []int{9}}
		if o.newGame(0, dice.At(test.u)); (o.left[0] == 1) != test.begins || o.left[0] > 1 {
			t.Errorf("with %v and a fraction of %v, %d random actions; want one: %v", test.u, test.fraction, o.left[0], test.begins)
		}
	}
	noise := dice.At(0)
	o := &openings{left: []int{9}}
	if o.newGame(0, noise); o.left[0] != 0 || *noise != *dice.At(0) {
		t.Errorf("without openings, %d random actions, or a number is drawn", o.left[0])
	}
}

// TestEmptyPool: as long as the pool is empty, the network plays itself and no number is drawn.
func TestEmptyPool(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	r := newRollout(g.NewBatch(2, 0), 0, models.Score, Config{Horizon: 1})
	r.batch.Reset(1)
	want := slices.Clone(r.batch.Buffers().Noise)
	p := newTestPool(t, method.Opponents{Fraction: 1, Size: 1, Interval: 1}, g, r)
	if !slices.Equal(r.batch.Buffers().Noise, want) {
		t.Error("a number is drawn")
	}
	for i, seats := range r.pool.rows {
		if !slices.Equal(seats, []uint16{itself, itself}) {
			t.Errorf("row %d has the opponents %v", i, seats)
		}
	}
	if m := p.end(); m != nil {
		t.Errorf("its metrics are %+v", m)
	}
}
