package env_test

import (
	"context"
	"errors"
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
)

// counted is a policy that counts its calls.
type counted struct {
	env.Policy
	calls, decisions int
}

func (c *counted) Probs(dst []float64, d env.Decisions) error {
	c.calls, c.decisions = c.calls+1, c.decisions+d.Len()
	return c.Policy.Probs(dst, d)
}

// flat is a policy that allocates nothing.
type flat struct{}

func (flat) Probs(dst []float64, _ env.Decisions) error {
	for i := range dst {
		dst[i] = 1
	}
	return nil
}

// TestAct compares the actions of some rows with those that are sampled one by one. The other
// rows keep their actions and generators, all rows if the context is done.
func TestAct(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          testgames.Open(t, "pig", 2, `{}`),
		"martian dice": testgames.Open(t, "martian-dice", 3, `{}`),
	} {
		bot, err := g.Bot("random")
		if err != nil {
			t.Fatal(err)
		}
		b, twin := g.NewBatch(6, 0), g.NewBatch(6, 0)
		b.Reset(1)
		twin.Reset(1)
		rows, n := []int{0, 3, 4}, g.Spec().Actions
		p := &counted{Policy: bot}
		for range 50 {
			for _, x := range []env.Batch{b, twin} {
				act(x)
			}
			if err := b.Act(t.Context(), p, rows); err != nil {
				t.Fatal(err)
			}
			for _, i := range rows {
				probs := make([]float64, n)
				if err := bot.Probs(probs, twin.Decisions([]int{i})); err != nil {
					t.Fatal(err)
				}
				twin.Buffers().Action[i] = env.SampleAction(probs, &twin.Buffers().Noise[i])
			}
			for i, want := range twin.Buffers().Action {
				if got := b.Buffers().Action[i]; got != want || b.Buffers().Noise[i] != twin.Buffers().Noise[i] {
					t.Fatalf("%s: row %d takes action %d; want %d, and the same generator", name, i, got, want)
				}
			}
			for _, x := range []env.Batch{b, twin} {
				if err := x.Step(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if p.calls != 50 || p.decisions != 150 {
			t.Errorf("%s: %d calls with %d decisions; want 50 with 150", name, p.calls, p.decisions)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		before := b.Buffers().Noise[0]
		if err := b.Act(ctx, p, rows); !errors.Is(err, context.Canceled) || p.calls != 50 || b.Buffers().Noise[0] != before {
			t.Errorf("%s: error %v after %d calls; want that of the context, and no call", name, err, p.calls)
		}
		if got := testing.AllocsPerRun(100, func() { b.Act(t.Context(), flat{}, rows) }); got != 0 {
			t.Errorf("%s: %v allocations in Act; want 0", name, got)
		}
	}
}
