// In package train for the targets behind a fit.
package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/losstest"
	"marsgym/train/expert"
)

// documentedLoss is the loss of expert iteration for a part's targets, straight from the
// documentation of [expertLoss], if the fit has n values and m decisions. It adds the terms that
// are reported to sums when it is called for the first time.
func documentedLoss(l *expert.Targets, spec game.Spec, cfg *Config, n, m int, warm bool, sums *Losses) losstest.Formula {
	first := true
	return func(policy, values []float64) (loss float64) {
		p, positions := spec.Players, len(l.Value)/spec.Players
		squares, crossEntropy, kl := 0.0, 0.0, 0.0
		for i := range positions {
			at := values[i*p:][:p]
			logs := losstest.LogSoftmax(at)
			for j, target := range l.Value[i*p:][:p] {
				if !spec.HasWin() {
					e := at[j] - float64(target)
					squares += e * e / 2
					continue
				}
				share := (float64(target) - spec.Loss) / (spec.Win - spec.Loss)
				e := math.Exp(logs[j]) - share
				squares += e * e / 2
				crossEntropy -= share * logs[j]
				if share > 0 { // a corrected target can lie outside 0 to 1
					kl += share * (math.Log(share) - logs[j])
				}
			}
		}
		if spec.HasWin() {
			loss += cfg.ValueCoef * crossEntropy / float64(n)
		} else {
			loss += cfg.ValueCoef * squares / float64(n)
		}
		divergence, entropy, decisions := 0.0, 0.0, 0.0
		for i := 0; warm && i+1 < len(l.Start); i++ {
			var scores, want []float64
			for k := l.Start[i]; k < l.Start[i+1]; k++ {
				out := positions + int(k) // the rows of options follow those of values
				if cfg.Head == models.Logits {
					row := positions + i
					if len(l.Row) > 0 {
						row = int(l.Row[i])
					}
					out = row*spec.Actions + int(l.Action[k])
				}
				scores = append(scores, policy[out])
				q := float64(l.ActionValue[k])
				if spec.HasWin() {
					q = (q - spec.Loss) / (spec.Win - spec.Loss)
				}
				q /= cfg.Expert.Temperature[0]
				if l.Logit != nil {
					q += float64(l.Logit[k])
				}
				want = append(want, q)
			}
			highest := math.Inf(-1)
			for _, q := range want {
				highest = max(highest, q)
			}
			for k := range want {
				want[k] -= highest
			}
			decisions++
			logs, targets := losstest.LogSoftmax(scores), losstest.LogSoftmax(want)
			for k, t := range targets {
				divergence += math.Exp(t) * (t - logs[k])
				entropy -= math.Exp(logs[k]) * logs[k]
			}
		}
		if first {
			first = false
			sums.Value.Join(Mean{Sum: squares, N: float64(positions)})
			if spec.HasWin() {
				sums.ValueKL.Join(Mean{Sum: kl, N: float64(positions)})
			}
			sums.Policy.Join(Mean{Sum: divergence, N: decisions})
			sums.Entropy.Join(Mean{Sum: entropy, N: decisions})
		}
		return loss + divergence/float64(m)
	}
}

// TestLoss compares the gradients of whole fits with differences of the documented formula, and
// the sums that are reported with its terms: values as shares and as plain returns, both heads,
// every algorithm, with and without the policy.
func TestLoss(t *testing.T) {
	const small = `{"dice": 5, "target": 6}`
	for _, test := range []struct {
		game      string
		players   int
		config    string
		algorithm Algorithm
		head      models.Head
		warmup    float64
	}{
		{"martian-dice", 2, small, TurnExact, models.Score, 0},
		{"martian-dice", 3, small, TurnExact, models.Logits, 0},
		{"martian-dice", 1, small, OneMove, models.Score, 0}, // without a win
		{"martian-dice", 1, small, OneMove, models.Logits, 0},
		{"pig", 3, `{"target": 30}`, OneMove, models.Score, 0},
		{"pig", 2, `{"target": 30}`, OneMove, models.Logits, 0},
		{"pig", 2, `{"target": 30}`, OneMove, models.Logits, 0.5}, // values alone at first
		{"pig", 3, `{"target": 30}`, Search, models.Logits, 0},
	} {
		t.Run(fmt.Sprintf("%s %d %s %s %v", test.game, test.players, test.algorithm, test.head, test.warmup), func(t *testing.T) {
			g := testgames.Open(t, test.game, test.players, test.config)
			spec := g.Spec()
			cfg := DefaultConfig(test.algorithm)
			cfg.Rows, cfg.Head, cfg.Hidden, cfg.ValueCoef = 4, test.head, []int{8}, 5
			cfg.Expert.ValueWarmup = test.warmup
			cfg.Expert.Temperature = Schedule{0.2, 0.2}
			l := &losstest.Learner{}
			e := newIteration(t, g, &cfg, func(learner models.Learner) models.Learner {
				l.Learner = learner
				return l
			})
			dice := rand.New(rand.NewPCG(1, 1))
			var want Losses
			l.OnFit = func(shards []models.Shard) {
				var targets []*expert.Targets
				n, m := 0, 0
				for _, p := range e.parts {
					for k := range p.targets {
						targets = append(targets, &p.targets[k])
						n += len(p.targets[k].Value) / spec.Players
						m += len(p.targets[k].Start) - 1
					}
				}
				if len(shards) != len(targets) || n == 0 || m == 0 {
					t.Fatalf("%d shards of %d targets, with %d values and %d decisions", len(shards), len(targets), n, m)
				}
				for k, shard := range shards {
					policy, values := make([]float32, shard.Len()*e.Model().Shape().PolicyWidth()), make([]float32, shard.Len()*spec.Players)
					for _, x := range [][]float32{policy, values} {
						for i := range x {
							x[i] = float32(dice.NormFloat64())
						}
					}
					formula := documentedLoss(targets[k], spec, &cfg, n, m, test.warmup == 0, &want)
					if err := losstest.Check(shard, formula, policy, values, 1e-5); err != nil {
						t.Errorf("shard %d: %v", k, err)
					}
				}
			}
			got, err := e.Iterate(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []struct {
				name      string
				got, want Mean
			}{
				{"policy", got.Policy, want.Policy}, {"value", got.Value, want.Value},
				{"KL of the values", got.ValueKL, want.ValueKL}, {"entropy", got.Entropy, want.Entropy},
			} {
				if x.got.N != x.want.N || !(math.Abs(x.got.Sum-x.want.Sum) <= 1e-6*max(1, math.Abs(x.want.Sum))) {
					t.Errorf("%s is a mean of %v; want %v", x.name, x.got, x.want)
				}
			}
		})
	}
}
