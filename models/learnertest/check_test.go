package learnertest_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/learnertest"
)

// broken is a learner that violates a requirement.
type broken struct {
	models.Learner
	mlp     func() *models.MLP
	fit     func([]models.Shard, float64) (float64, error)
	state   func() []models.Tensor
	restore func([]models.Tensor) error
}

func (b *broken) MLP() *models.MLP { return b.mlp() }
func (b *broken) Fit(ctx context.Context, shards []models.Shard, rate float64) (float64, error) {
	return b.fit(shards, rate)
}
func (b *broken) State() []models.Tensor              { return b.state() }
func (b *broken) Restore(state []models.Tensor) error { return b.restore(state) }

// with wraps the loss of a shard.
func with(shard models.Shard, loss func(next func(p, v, dp, dv []float32), p, v, dp, dv []float32)) models.Shard {
	next := shard.Loss
	shard.Loss = func(p, v, dp, dv []float32) { loss(next, p, v, dp, dv) }
	return shard
}

// violations are the broken learners that Check must reject.
var violations = []struct {
	want  string // the beginning of the error
	spoil func(*broken)
}{
	{"gradient equals finite differences: score", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			shards = slices.Clone(shards)
			shards[0] = with(shards[0], func(next func(p, v, dp, dv []float32), p, v, dp, dv []float32) {
				next(p, v, dp, dv)
				dp[0] *= 1.01
			})
			return fit(shards, rate)
		}
	}},
	{"gradient equals finite differences: norm returned by Fit", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			norm, err := fit(shards, rate)
			return min(norm, 1), err
		}
	}},
	{"gradients of shards add up: score", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			if len(shards) > 3 {
				shards = shards[:3]
			}
			return fit(shards, rate)
		}
	}},
	{"gradients of shards add up: panic: the loss of a shard without rows", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			for _, r := range shards {
				if r.Len() == 0 && len(shards) > 3 {
					r.Loss(nil, nil, nil, nil)
				}
			}
			return fit(shards, rate)
		}
	}},
	{"Fit takes a step of Adam: score: weights after step 0", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) { return fit(shards, rate*1.01) }
	}},
	{"Fit takes a step of Adam: score: step 0 returns the norm", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			norm, err := fit(shards, rate)
			if rate > 0 {
				norm *= 1.001
			}
			return norm, err
		}
	}},
	{"Fit takes a step of Adam: MLP is another network", func(b *broken) {
		mlp := b.mlp
		b.mlp = func() *models.MLP { return mlp().Clone() }
	}},
	{"loss is called with the outputs of Forward: score: output 1 of 1 rows", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			shards = slices.Clone(shards)
			for i := range shards {
				shards[i] = with(shards[i], func(next func(p, v, dp, dv []float32), p, v, dp, dv []float32) {
					v[0] += 1e-4
					next(p, v, dp, dv)
				})
			}
			return fit(shards, rate)
		}
	}},
	{"loss is called with the outputs of Forward: score: the gradient of 1 rows", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			shards = slices.Clone(shards)
			for i := range shards {
				shards[i] = with(shards[i], func(next func(p, v, dp, dv []float32), p, v, dp, dv []float32) {
					dv[0] = 1
					next(p, v, dp, dv)
				})
			}
			return fit(shards, rate)
		}
	}},
	{"Fit reduces the loss: the mean squared error", func(b *broken) {
		fit, n := b.fit, 0
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			if n++; n > 20 {
				rate = 0
			}
			return fit(shards, rate)
		}
	}},
	{"repeated run gives the same bits: score", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			if calls++; calls%101 == 0 {
				rate = 0
			}
			return fit(shards, rate)
		}
	}},
	{"resumed run gives the same bits: score", func(b *broken) {
		restore := b.restore
		b.restore = func(state []models.Tensor) error {
			state = slices.Clone(state)
			for i, t := range state {
				if t.Name == "adam.steps" {
					state[i].Data = []float32{0}
				}
			}
			return restore(state)
		}
	}},
	{"gradient that is not finite changes nothing: gradient of NaN: Fit returns the error <nil>", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			norm, err := fit(shards, rate)
			if errors.Is(err, models.ErrDiverged) {
				err = nil
			}
			return norm, err
		}
	}},
	{"gradient that is not finite changes nothing: after a gradient of NaN: body.0.weight", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			norm, err := fit(shards, rate)
			if errors.Is(err, models.ErrDiverged) {
				b.Learner.MLP().Weights()[0]++
			}
			return norm, err
		}
	}},
	{"invalid arguments are errors and change nothing: no error from Fit of 0 shards", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			if len(shards) == 0 {
				return 0, nil
			}
			return fit(shards, rate)
		}
	}},
	{"invalid arguments are errors and change nothing: no error from Fit at a learning rate of NaN", func(b *broken) {
		fit := b.fit
		b.fit = func(shards []models.Shard, rate float64) (float64, error) {
			if math.IsNaN(rate) {
				rate = 0
			}
			return fit(shards, rate)
		}
	}},
	{"invalid arguments are errors and change nothing: wrong state 0", func(b *broken) {
		restore := b.restore
		b.restore = func(state []models.Tensor) error {
			if state == nil {
				return nil
			}
			return restore(state)
		}
	}},
	{"invalid arguments are errors and change nothing: adam.m", func(b *broken) {
		state := b.state
		var first []models.Tensor
		b.state = func() []models.Tensor {
			if first == nil {
				first = state()
			}
			return first
		}
	}},
}

// calls counts the calls of Fit of one kind of broken learner.
var calls int

func TestCheckRejects(t *testing.T) {
	for _, v := range violations {
		err := learnertest.CheckOnly(v.want, func(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
			l, err := gorgonia.New(mlp, cfg)
			if err != nil {
				return nil, err
			}
			b := &broken{l, l.MLP, func(shards []models.Shard, rate float64) (float64, error) { return l.Fit(t.Context(), shards, rate) }, l.State, l.Restore}
			v.spoil(b)
			return b, nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), v.want) {
			t.Errorf("want %q; the error is\n%v", v.want, err)
		}
	}
}

func TestCheckRejectsSettings(t *testing.T) {
	err := learnertest.Check(func(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
		if cfg == (models.AdamConfig{}) {
			cfg = models.DefaultAdam()
		}
		return gorgonia.New(mlp, cfg)
	})
	if want := "invalid arguments are errors and change nothing: New accepts settings that are zero"; err == nil || err.Error() != want {
		t.Errorf("want %q; the error is\n%v", want, err)
	}
}
