package analysis_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/agents"
	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval/analysis"
	"marsgym/internal/test/cputime"
	"marsgym/internal/test/testgames"
)

var (
	coveragePositions = flag.Int("positions", 100, "positions of each game in the benchmark of coverage")
	coverageSeed      = flag.Uint64("coverage-seed", 1, "seed of these positions")
	coverageSeconds   = flag.Float64("coverage-seconds", 0, "CPU seconds for a position; 0 for 0.2, 0.5, 2 and 8")
)

// estimated are the solved games in which intervals are compared with exact values, with the
// evaluator that the page takes.
var estimated = []struct{ id, name string }{
	{"martian-dice", agents.Pretrained}, {"mars-is-ours-fast", agents.Pretrained}, {"martian-risk-tiny", "greedy"}, {"pig", "greedy"},
}

// decisions returns decisions with several options, one of each game in which seats also make
// mistakes, drawn by a seed.
func decisions(t testing.TB, g env.Game, s env.Solution, seed uint64, n int) (at []env.Position) {
	t.Helper()
	dice := rand.New(rand.NewPCG(seed, 49))
	for k := range n {
		var all []env.Position
		for _, step := range play(t, g, s.Policy(), seed<<32|uint64(k)).Steps {
			if !step.Chance() && len(step.Before.Legal()) > 1 {
				all = append(all, step.Before)
			}
		}
		at = append(at, all[dice.IntN(len(all))])
	}
	return at
}

// covered counts the options whose intervals contain their exact values, to rounding, and returns
// halves of the intervals and the number of options without one.
func covered(t testing.TB, g env.Game, s env.Solution, at env.Position, v analysis.Valuer) (inside int, halves []float64, vague int) {
	t.Helper()
	options, err := analysis.Decide(t.Context(), g, at, v)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := analysis.Decide(t.Context(), g, at, analysis.NewExact(g.Spec(), s))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range options {
		want := truth[slices.IndexFunc(truth, func(x analysis.Option) bool { return x.Action == o.Action })].Value.Value
		half, ok := o.Value.PlusMinus()
		switch {
		case o.Value.Exact:
		case !ok:
			vague++
		default:
			halves = append(halves, half)
			if o.Value.Low-game.Tie <= want && want <= o.Value.High+game.Tie {
				inside++
			}
		}
	}
	return inside, halves, vague
}

// BenchmarkCoverage prints how many intervals of options contain the exact values, and the median
// half of an interval, by the CPU time of a quiet core for the options of a position, for the
// positions of a seed:
//
//	go test -run '^$' -bench Coverage -benchtime 1x -timeout 0 ./eval/analysis -positions 100
func BenchmarkCoverage(b *testing.B) {
	times := []float64{0.2, 0.5, 2, 8}
	if *coverageSeconds > 0 {
		times = []float64{*coverageSeconds}
	}
	if testing.Short() { // one look at each game, to see that it works
		times, *coveragePositions = times[:1], 2
	}
	for _, x := range estimated {
		b.Run(x.id, func(b *testing.B) { coverage(b, x.id, x.name, times) })
	}
}

func coverage(b *testing.B, id, name string, times []float64) {
	g := testgames.Open(b, id, 2, `{}`)
	s, err := g.Solve(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	at := decisions(b, g, s, *coverageSeed, *coveragePositions)
	v := &analysis.Searches{Game: g, Evaluator: evaluator(b, g, name), Name: name, Number: 4, Simulations: 256, Seed: *coverageSeed}
	options, start := 0, cputime.Used().Seconds()
	for _, p := range at[:min(20, len(at))] {
		options += len(p.Legal())
		covered(b, g, s, p, v)
	}
	one := (cputime.Used().Seconds() - start) / float64(options*v.Number*v.Simulations) // of a simulation
	for _, seconds := range times {
		b.Run(fmt.Sprintf("%vs", seconds), func(b *testing.B) {
			for b.Loop() {
				inside, vague, simulations := 0, 0, []float64{}
				var halves []float64
				start := cputime.Used().Seconds()
				for _, p := range at {
					v.Simulations = max(1, int(seconds/one/float64(len(p.Legal())*v.Number)))
					simulations = append(simulations, float64(v.Simulations))
					k, h, n := covered(b, g, s, p, v)
					inside, halves, vague = inside+k, append(halves, h...), vague+n
				}
				b.ReportMetric((cputime.Used().Seconds()-start)/float64(len(at)), "cpu-s/position")
				b.ReportMetric(median(simulations), "simulations")
				b.ReportMetric(float64(vague), "without")
				if len(halves) > 0 {
					b.ReportMetric(100*float64(inside)/float64(len(halves)), "%covered")
					b.ReportMetric(100*median(halves), "%half")
				}
			}
		})
	}
}

func evaluator(t testing.TB, g env.Game, name string) *search.Evaluator {
	t.Helper()
	if name != agents.Pretrained {
		return nil
	}
	e, err := agents.OpenEvaluator(name, agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
