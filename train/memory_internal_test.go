// In package train for the estimate, of which Check reports only whether it is too
// large.
package train

import (
	"sort"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/machine"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/heap"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

// TestMemory compares the estimate, which is of the peak, with the live heap of a run.
func TestMemory(t *testing.T) {
	fulltest.Gate(t)
	if testing.Short() {
		t.Skip("trains for a few seconds")
	}
	const factor = 3
	for i, test := range []struct {
		name, game string
		players    int
		algorithm  Algorithm
		change     func(*Config)
	}{
		{"afterstates", "martian-dice", 2, AlgorithmPPO, func(c *Config) { c.Rows, c.PPO.Horizon = 512, 64 }},
		{"logits and a pool", "mars-is-ours", 4, AlgorithmPPO, func(c *Config) {
			c.Head, c.Rows, c.PPO.Horizon, c.Opponents = models.Logits, 512, 32, Opponents{Fraction: 0.5, Size: 10, Interval: 0.1, Power: 1}
		}},
		{"outcomes of chance", "martian-risk-small", 3, AlgorithmPPO, func(c *Config) { c.Head, c.Rows, c.PPO.Horizon, c.PPO.Outcomes = models.Logits, 64, 128, 16 }},
		{"large minibatch", "pig", 2, AlgorithmPPO, func(c *Config) {
			c.Head, c.Rows, c.PPO.Horizon, c.PPO.Minibatch = models.Logits, 1024, 64, 1<<16
		}},
		{"wide network", "martian-dice", 2, AlgorithmPPO, func(c *Config) {
			c.Hidden, c.Rows, c.PPO.Horizon, c.PPO.Minibatch = []int{1024, 1024}, 16, 16, 64
		}},
		{"turns", "martian-dice", 4, TurnExact, func(c *Config) { c.Rows = 256 }},
		{"many turns", "martian-dice", 2, TurnExact, func(c *Config) { c.Rows, c.Expert.Search.Turns = 32, 32 }},
		{"turns of pig", "pig", 2, TurnExact, func(c *Config) { c.Rows = 1024 }},
		{"one move of merged dice", "martian-dice", 2, OneMove, func(c *Config) { valueAfterstates(c); c.Rows = 64 }},
		{"one move of a board game", "mars-is-ours-fast", 2, OneMove, func(c *Config) { c.Head, c.Rows, c.Expert.Search.Decisions = models.Logits, 64, 32 }},
		{"trees", "mars-is-ours", 2, Search, func(c *Config) { c.Rows, c.Expert.Search.Tree.Simulations, c.Expert.Search.Decisions = 64, 1000, 4 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			fulltest.Sample(t, i, 3)
			g, err := catalog.Open(test.game, test.players, nil)
			if err != nil {
				t.Fatal(err)
			}
			cfg := DefaultConfig(test.algorithm)
			test.change(&cfg)
			cfg.Expert.ValueWarmup, cfg.Checkpoints = 0, 1
			play, err := measure(g)
			if err != nil {
				t.Fatal(err)
			}
			networks, iteration := cfg.memory(g, play)
			estimate := networks + iteration
			before, live := heap.InUse(), 0.0
			cfg.Steps = 1 // one iteration, or two
			if test.algorithm == OneMove {
				cfg.Steps += uint64(cfg.Rows * cfg.Expert.Search.Decisions) // so that games have been played for a while
			}
			_, err = Run(t.Context(), cfg, Options{
				Game: g, Dir: t.TempDir(),
				Learner: gorgonia.New,
				Report:  func(Metrics) { live = heap.InUse() - before },
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%.0f MB, estimated %.0f", live/1e6, estimate/1e6)
			if ratio := estimate / live; !(ratio >= 1./factor && ratio <= factor) {
				t.Errorf("the estimate is %.2f times the %.0f MB of the live heap; want within a factor of %d", ratio, live/1e6, factor)
			}
		})
	}
}

// TestMemoryUsable: a run is refused above the part of the memory at which it would be stopped.
func TestMemoryUsable(t *testing.T) {
	if machine.Memory() == 0 {
		t.Skip("the memory of this machine is not known")
	}
	g, err := catalog.Open("pig", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	play, err := measure(g)
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig(AlgorithmPPO)
	size := func(rows int) float64 {
		c.Rows = rows
		networks, iteration := c.memory(g, play)
		return (networks + iteration) / float64(machine.Memory())
	}
	c.Rows = sort.Search(1<<40, func(rows int) bool { return size(rows) > 0.95 })
	if x := size(c.Rows); !(x < 1) {
		t.Fatalf("%d rows take %v of the memory; want less than 1", c.Rows, x)
	}
	if err := c.checkMemory(g); err == nil || !strings.Contains(err.Error(), "GiB that "+machine.Source) {
		t.Errorf("95 %% of the memory: %v; want an error", err)
	}
}
