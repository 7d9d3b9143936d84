package train_test

import (
	"testing"

	"marsgym/env/catalog"
	"marsgym/train"
)

// TestShorten: a short run of ppo trains on the decisions that it is asked for and a tenth more at
// most, or a rollout of the least size; a long run keeps its settings, and so do given ones.
func TestShorten(t *testing.T) {
	none := func(string) bool { return false }
	for _, steps := range []uint64{1, 64, 100, 1_000, 60_000, 65_537, 140_000, 300_000, 12_000_000, 50_000_000} {
		c := train.DefaultConfig(train.AlgorithmPPO)
		c.Rows, c.PPO.Horizon, c.Steps = 1024, 128, steps
		c.Shorten(none)
		rollout := uint64(c.Rows * c.PPO.Horizon)
		trained := (steps + rollout - 1) / rollout * rollout
		if trained > max(64, steps+steps/10) {
			t.Errorf("%d decisions become %d, in rollouts of %d by %d", steps, trained, c.Rows, c.PPO.Horizon)
		}
		if (c.PPO.Horizon == 128) != (steps >= 1_000) {
			t.Errorf("%d decisions have a horizon of %d", steps, c.PPO.Horizon)
		}
		if long := steps > 250*1024*128; long != (c.Rows == 1024) {
			t.Errorf("%d decisions have %d rows", steps, c.Rows)
		}
	}
	c := train.DefaultConfig(train.AlgorithmPPO)
	c.Rows, c.Steps = 0, 10
	if changes := c.Shorten(func(field string) bool { return field == "train.rows" }); c.Rows != 0 {
		t.Errorf("no rows became %d, by %q", c.Rows, changes)
	}
}

// TestShortenExpert: a short run of expert iteration has many iterations, by fewer rows.
func TestShortenExpert(t *testing.T) {
	none := func(string) bool { return false }
	for _, test := range []struct {
		algorithm train.Algorithm
		steps     uint64
		rows      int
	}{
		{train.TurnExact, 1, 2},
		{train.TurnExact, 100_000, 7},
		{train.TurnExact, 500_000, 32},
		{train.OneMove, 20_000, 3},
		{train.OneMove, 200_000, 16},
	} {
		c := train.DefaultConfig(test.algorithm)
		c.Steps = test.steps
		c.Shorten(none)
		if c.Rows != test.rows {
			t.Errorf("%d decisions of %s have %d rows; want %d", test.steps, test.algorithm, c.Rows, test.rows)
		}
	}
	for _, a := range train.Algorithms() { // what is refused later does no harm here
		for _, x := range []int{-5, 0, 1 << 62} {
			c := train.DefaultConfig(a)
			c.Rows, c.Steps = x, 1000
			c.Shorten(none)
			c = train.DefaultConfig(a)
			c.PPO.Horizon, c.Expert.Search.Turns, c.Expert.Search.Decisions, c.Steps = x, x, x, 1000
			c.Shorten(none)
		}
	}
}

// TestShortenPresets: a run of its default length keeps its settings.
func TestShortenPresets(t *testing.T) {
	none := func(string) bool { return false }
	for _, id := range catalog.IDs() {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range train.Algorithms() {
			c, err := train.DefaultForAlgorithm(g, a)
			if err != nil {
				t.Fatal(err)
			}
			if changes := c.Shorten(none); len(changes) > 0 {
				t.Errorf("%s by %s changes %q", id, a, changes)
			}
		}
	}
}
