package martiandice_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/test/fulltest"
)

// limitedGames are games that end after some rounds, small enough to be solved.
var limitedGames = map[string]martiandice.Config{
	"one round":    small(2, 2, 3, rounds(1)),
	"two rounds":   small(2, 2, 3, rounds(2)),
	"three rounds": small(2, 2, 9, rounds(3)),
	"three dice":   small(2, 3, 4, rounds(2)),
	"stop at once": small(2, 2, 3, func(c *martiandice.Config) { rounds(3)(c); stopAtOnce(c) }),
	"share":        small(2, 2, 3, func(c *martiandice.Config) { rounds(2)(c); share(c) }),
	"random start": small(2, 2, 3, func(c *martiandice.Config) { rounds(2)(c); c.FirstPlayer = martiandice.FirstRandom }),
	"three":        small(3, 2, 2, rounds(2)),
	"four":         small(4, 1, 2, rounds(2)),
}

func rounds(n int) func(*martiandice.Config) {
	return func(c *martiandice.Config) { c.MaxRounds = n }
}

// induction is plain backward induction. Every position is a key of its own, and seat best
// plays best; the others play at random, or best too if best is -1.
type induction struct {
	r     *martiandice.Rules
	best  game.Player
	value map[martiandice.State][]float64
}

func newInduction(r *martiandice.Rules, best game.Player) *induction {
	return &induction{r, best, map[martiandice.State][]float64{}}
}

func (b *induction) at(t *testing.T, s martiandice.State) []float64 {
	t.Helper()
	if v, ok := b.value[s]; ok {
		return v
	}
	spec := b.r.Spec()
	v := make([]float64, spec.Players)
	add := func(w float64, next []float64) {
		for i, x := range next {
			v[i] += w * x
		}
	}
	switch mover := b.r.CurrentPlayer(s); {
	case mover == game.Terminal:
		v = b.r.Returns(nil, s)
	case s.Phase == martiandice.TieBreak: // all that are tied win with the same probability
		for i := range v {
			v[i] = spec.Return(float64(s.Tied>>i&1) / float64(bits.OnesCount16(s.Tied)))
		}
	case mover == game.Chance:
		for _, o := range b.r.Outcomes(nil, s) {
			add(o.Prob, b.at(t, o.State))
		}
	default:
		var options [][]float64
		for _, a := range b.r.Legal(nil, s) {
			next, err := b.r.Apply(s, a)
			if err != nil {
				t.Fatal(err)
			}
			options = append(options, b.at(t, next))
		}
		if b.best == -1 || b.best == mover {
			first := options[0]
			for _, o := range options[1:] {
				if o[mover] > first[mover]+game.Tie {
					first = o
				}
			}
			v = slices.Clone(first)
		} else {
			for _, o := range options {
				add(1/float64(len(options)), o)
			}
		}
	}
	b.value[s] = v
	return v
}

// Games limited by rounds have the values of backward induction, everywhere for two and at
// the start for more, whose values depend on ties in between.
func TestLimited(t *testing.T) {
	for name, cfg := range limitedGames {
		t.Run(name, func(t *testing.T) {
			if cfg.Dice > 2 && !fulltest.On() {
				t.Skip("many positions")
			}
			r := newRules(t, cfg)
			sol, err := r.Solve(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			const tol = 1e-12
			want := newInduction(r, -1)
			want.at(t, r.Initial())
			for s, v := range want.value {
				if got, err := sol.Value(nil, s); err != nil || !near(got, v, tol) {
					t.Fatalf("at %s the values are %v, %v; want %v", r.Format(s), got, err, v)
				}
			}
			if n, most := int64(sol.Facts()[0].Value), r.Estimate().Positions; n > most || most > 40*n {
				t.Errorf("there are %d positions; the estimate is %d", n, most)
			}
		})
	}
}

// Uniform play has the exploitability of backward induction, in the first game that of
// open_spiel.python.algorithms.exploitability too (OpenSpiel 2.0.2, over the Python package).
func TestLimitedExploitability(t *testing.T) {
	for _, test := range []struct {
		cfg       martiandice.Config
		openSpiel float64 // or 0
	}{
		{config(2, func(c *martiandice.Config) { rounds(1)(c); share(c); c.Dice, c.TieDice = 2, 1 }), 0.13136574074074073},
		{config(2, func(c *martiandice.Config) { rounds(1)(c); c.Dice = 3 }), 0},
		{limitedGames["three rounds"], 0},
	} {
		r := newRules(t, test.cfg)
		sol, err := r.Solve(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		uniform := tabulate(t, sol, game.Uniform[martiandice.State]{Rules: r})
		got, want := 0.0, 0.0
		for seat := range game.Player(2) {
			v, err := sol.BestResponse(ctx, []game.TabularPolicy{uniform, uniform}, seat)
			if err != nil {
				t.Fatal(err)
			}
			got += v / 2
			want += newInduction(r, seat).at(t, r.Initial())[seat] / 2
		}
		if !(math.Abs(got-want) <= 1e-12) || test.openSpiel > 0 && !(math.Abs(got-test.openSpiel) <= 1e-12) {
			t.Errorf("%+v: uniform play has exploitability %v; want %v", test.cfg, got, want)
		}
	}
}
