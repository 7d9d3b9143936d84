package analysis_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval/analysis"
	"marsgym/internal/test/testgames"
)

// TestSearches: searches come close to exact values, which their intervals contain, in decisions,
// before dice and at the end, and do not depend on the number of processors.
func TestSearches(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 15}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var at []env.Position
	for _, text := range []string{"0-0@0", "9-8@1 turn 4", "12-3@0 rolling", "15-9 over 0"} {
		p, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, p)
	}
	exact, err := analysis.NewExact(g.Spec(), s).Values(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	v := &analysis.Searches{Game: g, Name: "greedy", Number: 4, Simulations: 20000, Seed: 1}
	values, err := v.Values(t.Context(), at)
	if err != nil || v.Exact() || v.Method() != "searches:4:20000:greedy" {
		t.Fatalf("%s, exact %v: %v", v.Method(), v.Exact(), err)
	}
	for i, x := range values {
		n, want := x.Number(0), exact[i].Mean[0]
		if !(math.Abs(n.Value-want) <= 0.05) || !(n.Low-game.Tie <= want && want <= n.High+game.Tie) || n.Exact != (at[i].CurrentPlayer() == game.Terminal) || !n.Exact && !(n.Low < n.Value && n.Value < n.High) {
			t.Errorf("%s: %+v, want %v", at[i], n, want)
		}
		if !(math.Abs(x.Mean[0]+x.Mean[1]-1) <= 1e-12) {
			t.Errorf("%s: the shares are %v", at[i], x.Mean)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := v.Values(t.Context(), at)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(values) {
		t.Errorf("on one processor: %v, %v; want %v", again, err, values)
	}
}

// TestSearchTime: a time gives searches of as many simulations as it allows, which are stated, and
// an error where it allows none.
func TestSearchTime(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 15}`)
	v := &analysis.Searches{Game: g, Name: "greedy", Number: 8, Time: 50 * time.Millisecond, Seed: 1}
	values, err := v.Values(t.Context(), []env.Position{g.Initial()})
	if err != nil || len(values[0].Samples) != 8 || v.Simulations < 1 || v.Method() != fmt.Sprintf("searches:8:%d:greedy", v.Simulations) {
		t.Errorf("%+v, %v", values, err)
	}
	v.Time = 1
	if _, err := v.Values(t.Context(), []env.Position{g.Initial()}); !errors.Is(err, analysis.ErrTime) {
		t.Errorf("in a nanosecond: %v", err)
	}
}

// TestVague: too few searches or simulations give no interval, and no mistake, but a value between
// 0 and 1.
func TestVague(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 15}`)
	p, err := g.Parse("9-8@1 turn 4")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []*analysis.Searches{{Number: 3, Simulations: 20000}, {Number: 4, Simulations: 500}} {
		v.Game, v.Name = g, "greedy"
		options, err := analysis.Decide(t.Context(), g, p, v)
		if err != nil || len(options) != 2 {
			t.Fatalf("%d options, %v", len(options), err)
		}
		for _, o := range options {
			_, shown := o.Value.PlusMinus()
			if shown || !o.Value.NoInterval || o.Value.Low != 0 || o.Value.High != 1 || !(o.Value.Value >= 0 && o.Value.Value <= 1) || !o.Regret.NoInterval || o.Regret.Low > 0 {
				t.Errorf("%s: %+v", v.Method(), o)
			}
		}
	}
}

// TestReconsider: the costliest decisions get the values of other searches, and decisions of
// other seats are left out.
func TestReconsider(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 50}`)
	rec := playBots(t, g, 3, "random", "greedy")
	a := analyse(t, rec, &analysis.Searches{Game: g, Name: "greedy", Number: 4, Simulations: 20, Seed: 1})
	list, err := a.Reconsider(t.Context(), rec, &analysis.Searches{Game: g, Name: "greedy", Number: 8, Simulations: 400, Seed: 2}, []int{0}, 2)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d decisions, %v", len(list), err)
	}
	costliest := analysis.Decision{}
	for _, d := range a.Decisions {
		if d.Seat == 0 && d.Loss.Value > costliest.Loss.Value {
			costliest = d
		}
	}
	found := false
	for i, d := range list {
		if d.Seat != 0 || i > 0 && d.Loss.Value > list[i-1].Loss.Value {
			t.Errorf("decision %d is %+v", i, d)
		}
		if d.Step == costliest.Step {
			found = true
			if d.Loss == costliest.Loss || d.Action != costliest.Action || d.Position != costliest.Position {
				t.Errorf("%+v, and again %+v", costliest, d)
			}
		}
	}
	if !found {
		t.Errorf("the costliest decision is left out of %+v", list)
	}
}

// BenchmarkEstimators compares estimates of the options of decisions in solved games with
// the exact values: how far the value of the best option is off, and what the option loses
// that is estimated as the best, in shares of the win.
//
//	go test -run '^$' -bench Estimators -benchtime 1x ./eval/analysis
func BenchmarkEstimators(b *testing.B) {
	for _, x := range solved {
		if x.id == "pig" || x.players > 2 {
			continue
		}
		g := testgames.Open(b, x.id, 2, x.config)
		s, err := g.Solve(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		exact := analysis.NewExact(g.Spec(), s)
		greedy, err := g.Bot("greedy")
		if err != nil {
			b.Fatal(err)
		}
		at := sample(b, g, s)
		if testing.Short() {
			at = at[:6]
		}
		for _, v := range []analysis.Valuer{
			&analysis.Rollouts{Game: g, Agent: greedy, Name: "greedy", Number: 50, Seed: 1},
			&analysis.Rollouts{Game: g, Agent: greedy, Name: "greedy", Number: 400, Seed: 1},
			&analysis.Searches{Game: g, Name: "greedy", Number: 8, Simulations: 6, Seed: 1},
			&analysis.Searches{Game: g, Name: "greedy", Number: 8, Simulations: 50, Seed: 1},
			&analysis.Searches{Game: g, Name: "greedy", Number: 8, Simulations: 400, Seed: 1},
		} {
			b.Run(x.id+"/"+v.Method(), func(b *testing.B) {
				for b.Loop() {
					off, lost := 0.0, 0.0
					for _, p := range at {
						options, err := analysis.Decide(b.Context(), g, p, v)
						if err != nil {
							b.Fatal(err)
						}
						truth, err := analysis.Decide(b.Context(), g, p, exact)
						if err != nil {
							b.Fatal(err)
						}
						for _, o := range truth {
							if o.Action == options[0].Action {
								lost += o.Regret.Value
								off += math.Abs(options[0].Value.Value - o.Value.Value)
							}
						}
					}
					b.ReportMetric(100*off/float64(len(at)), "%off")
					b.ReportMetric(100*lost/float64(len(at)), "%lost")
				}
			})
		}
	}
}

// sample returns decisions of games in which seats also make mistakes.
func sample(t testing.TB, g env.Game, s env.Solution) (at []env.Position) {
	t.Helper()
	for seed := uint64(1); len(at) < 60; seed++ {
		for i, step := range play(t, g, s.Policy(), seed).Steps {
			if !step.Chance() && len(step.Before.Legal()) > 1 && i%3 == 0 {
				at = append(at, step.Before)
			}
		}
	}
	return at[:60]
}
