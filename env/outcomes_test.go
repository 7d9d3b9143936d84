package env_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/martianrisk"
	"marsgym/internal/test/testgames"
)

func TestOutcomes(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkOutcomes(t, testgames.NewPig(t, 3, 20), 64) })
	t.Run("martian dice", func(t *testing.T) { checkOutcomes(t, testgames.NewMartianDice(t, 2, 3, 4), 64) })
	t.Run("few outcomes", func(t *testing.T) { checkOutcomes(t, testgames.NewMartianDice(t, 2, 3, 4), 5) })
	t.Run("battles", func(t *testing.T) {
		r, err := martianrisk.New(martianrisk.SmallConfig())
		if err != nil {
			t.Fatal(err)
		}
		checkOutcomes(t, r, 6)
	})
}

// outcome is one of the decisions that can follow an action, or the end of the game.
type outcome struct {
	player game.Player
	obs    []float32 // nil at the end
	prob   float64
}

// plainOutcomes lists what can follow p, after up to levels rolls. It returns more than most outcomes if there are
// more, or more rolls.
func plainOutcomes(dst []outcome, sum []float64, p env.Position, prob float64, levels, most int) []outcome {
	switch who := p.CurrentPlayer(); who {
	case game.Chance:
		if levels == 0 {
			return append(dst, make([]outcome, most+1)...)
		}
		for _, o := range p.Outcomes() {
			if len(dst) <= most {
				dst = plainOutcomes(dst, sum, o.State, prob*o.Prob, levels-1, most)
			}
		}
	case game.Terminal:
		for j, r := range p.Returns() {
			sum[j] += prob * r
		}
		dst = append(dst, outcome{who, nil, prob})
	default:
		dst = append(dst, outcome{who, slices.Clone(p.Decisions().Obs()), prob})
	}
	return dst
}

// checkOutcomes plays at random, compares the outcomes of actions with those of the rules, and
// expects that each step leads to one of them.
func checkOutcomes[S comparable](t *testing.T, r game.Rules[S], most int) {
	spec := r.Spec()
	d := spec.ObsLen()
	b := env.NewVec(r, 6, 0)
	b.Reset(4)
	buf := b.Buffers()
	var got env.Outcomes
	listed, omitted, ends := 0, 0, 0
	for range 300 {
		act(b)
		b.Outcomes(&got, most)
		before := b.Decisions(nil)
		type expectation struct {
			all []outcome
			sum []float64
		}
		want := make([]expectation, b.Len())
		n := 0
		for i := range b.Len() {
			a := buf.Action[i]
			if label := before.Relabel(i); label != nil {
				a = label[a]
			}
			after, err := before.Position(i).Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			if after.CurrentPlayer() != game.Chance {
				continue
			}
			sum := make([]float64, spec.Players)
			all := plainOutcomes(nil, sum, after, 1, 4, most)
			if len(all) > most {
				omitted++
				continue
			}
			listed++
			want[i] = expectation{all, sum}
			if n >= len(got.Row) || got.Row[n] != i {
				t.Fatalf("rows %v are listed; want row %d at %d", got.Row, i, n)
			}
			for j, x := range sum {
				if y := float64(got.Return[n*spec.Players+j]); !(math.Abs(x-y) <= 1e-6) {
					t.Fatalf("row %d, seat %d: games that end add %v to the expected return; want %v", i, j, y, x)
				}
			}
			at := got.Start[n]
			for _, o := range all {
				if o.obs == nil {
					ends++
					continue
				}
				if got.Player[at] != o.player || !slices.Equal(got.Obs[at*d:][:d], o.obs) || !(math.Abs(float64(got.Prob[at])-o.prob) <= 1e-6) {
					t.Fatalf("row %d: outcome %d is of seat %d with probability %v; want %d, %v, or its observation differs", i, at, got.Player[at], got.Prob[at], o.player, o.prob)
				}
				at++
			}
			if at != got.Start[n+1] {
				t.Fatalf("row %d: outcomes up to %d; want %d", i, got.Start[n+1], at)
			}
			n++
		}
		if n != len(got.Row) {
			t.Fatalf("%d rows are listed; want %d", len(got.Row), n)
		}
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if w.all == nil || buf.Truncated[i] {
				continue
			}
			if !slices.ContainsFunc(w.all, func(o outcome) bool {
				if buf.Terminated[i] {
					return o.obs == nil
				}
				return o.player == buf.Player[i] && slices.Equal(o.obs, buf.Obs[i*d:][:d])
			}) {
				t.Fatalf("row %d: the step leads to none of the outcomes", i)
			}
		}
	}
	if listed == 0 || ends == 0 || most < 64 && omitted == 0 {
		t.Errorf("%d actions with listed outcomes, of which %d end the game, and %d with too many: this tests nothing", listed, ends, omitted)
	}
}
