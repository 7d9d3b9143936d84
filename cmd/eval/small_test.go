// In package main, which cannot be imported.
package main

import (
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/eval/analysis"
	"marsgym/internal/figure"
)

// TestSmallFigures: small figures have three digits, those of rounding are 0, and an interval that
// ends near certain does not end there.
func TestSmallFigures(t *testing.T) {
	var spec game.Spec
	spec.Players = 2
	pair := pairResult{Pair: eval.Pair{A: "a", B: "exact", Win: 0.4999999, Exploitability: 9.49e-10, Cost: eval.Cost{Decisions: 5472, Rows: 1650, Seconds: 0.07}}}
	table := tableResult{eval.Table{Agents: []string{"exact", "a"}, Win: [][]float64{{0.5, 1 - 3e-8}, {3e-8, 0.5}}, Exploitability: []float64{-7.7e-15, 2.6e-8}, Rating: []float64{0, -0.000622}}}
	match := matchResult{eval.Match{Seats: []string{"a", "b"}, Win: []float64{0.9999999, 1e-7}, Low: []float64{0.99, 1e-8}, High: []float64{0.99999999, 0.01}, Confidence: 0.99}}
	for _, tt := range []struct {
		result interface {
			print(*strings.Builder, game.Spec)
		}
		want []string
	}{
		{&pair, []string{"exploitability       0.0000000949 %", "tabulated in all 5472 decisions by evaluating 1650 states, in 0.07 s"}},
		{&table, []string{"99.999997", "0.00000300", "0.00000260     0.0\n", " 0     0.0\n"}},
		{&match, []string{"99.999990 %   99 % interval 99.000 to 99.999999 %", "0.0000100 %   99 % interval 0.00000100 to 1.000 %"}},
	} {
		var b strings.Builder
		tt.result.print(&b, spec)
		for _, want := range tt.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
	}
	price := priceText{100, figure.Percent, "%"}
	if got := price.mean(analysis.Mean{Value: 0.99999}) + ", " + price.value(0.9999999); got != "99.999, 99.99999" {
		t.Errorf("figures just below 100 %% are %s", got)
	}
}
