package train_test

import (
	"testing"

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
