package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/martianrisk"
	"marsgym/internal/cli"
	"marsgym/models"
	"marsgym/train"
)

// BenchmarkLimits measures how the round limit and the ranking of Martian Risk affect
// training: networks are trained on the small map under each and evaluated under the
// small preset's own. One iteration is one seed:
//
//	go test -run '^$' -bench Limits -benchtime 5x -timeout 2h ./cmd/train
func BenchmarkLimits(b *testing.B) {
	if testing.Short() {
		b.Skip("trains six networks a seed")
	}
	preset := martianrisk.SmallConfig()
	for _, ranking := range []martianrisk.Ranking{martianrisk.Linear, martianrisk.Leader} {
		for _, rounds := range []int{10, 20, 50} {
			b.Run(fmt.Sprintf("rounds=%d/ranking=%s", rounds, ranking), func(b *testing.B) {
				text := fmt.Sprintf(`{"game": "martian-risk-small", "game_config": {"max_rounds": %d, "ranking": %q},
					"train": {"head": "score", "steps": 800000, "rows": 128, "evaluations": 0, "opponents": {"fraction": 0},
						"ppo": {"horizon": 128, "minibatch": 2048, "lambda": 0.98, "epochs": 2, "entropy_coef": [0.05, 0.0005]}}}`, rounds, ranking)
				var set call
				if err := set.complete([]byte(text), "", cli.NewFlags("", "").Game()); err != nil {
					b.Fatal(err)
				}
				cfg := preset
				cfg.MaxRounds, cfg.Ranking = rounds, ranking
				trained := newRisk(b, cfg)
				cfg.MaxRounds = preset.MaxRounds
				seen := newRisk(b, cfg) // with the ranks of the training
				var shares []float64
				for b.Loop() {
					set.Train.Seed = uint64(len(shares) + 1)
					mlp, err := train.Run(b.Context(), set.Train, train.Options{Game: env.NewGame[martianrisk.State](trained), Dir: b.TempDir(), Learner: newLearner(set.Settings)})
					if err != nil {
						b.Fatal(err)
					}
					shares = append(shares, share(b, mlp, seen, newRisk(b, preset)))
				}
				mean, squares := 0.0, 0.0
				for _, s := range shares {
					mean += s / float64(len(shares))
				}
				for _, s := range shares {
					squares += (s - mean) * (s - mean)
				}
				b.ReportMetric(100*mean, "%win")
				b.ReportMetric(100*math.Sqrt(squares/max(1, float64(len(shares)-1))), "%deviation")
				b.ReportMetric(100*slices.Min(shares), "%least")
				b.ReportMetric(100*slices.Max(shares), "%most")
			})
		}
	}
}

// BenchmarkSizes measures the speed of training by the default settings for sizes of
// Martian Risk, in decisions per second of a core:
//
//	go test -run '^$' -bench Sizes -benchtime 1x -cpu 1 ./cmd/train
func BenchmarkSizes(b *testing.B) {
	for _, size := range []struct{ players, each int }{{3, 4}, {3, 7}, {4, 7}, {5, 7}, {6, 4}, {6, 7}} {
		b.Run(fmt.Sprintf("players=%d/regions=%d", size.players, size.players*size.each), func(b *testing.B) {
			text := fmt.Sprintf(`{"game": "martian-risk", "game_config": {"players": %d, "regions_per_player": %d}, "train": {"steps": 131072, "opponents": {"fraction": 0}}}`, size.players, size.each)
			var set call
			if err := set.complete([]byte(text), "", cli.NewFlags("", "").Game()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := train.Run(b.Context(), set.Train, train.Options{Game: set.game, Dir: b.TempDir(), Learner: newLearner(set.Settings)}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(set.Train.Steps)*float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func newRisk(b *testing.B, cfg martianrisk.Config) *martianrisk.Rules {
	r, err := martianrisk.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// share returns the fraction of 1,500 games by the rules r that a network wins
// against greedy bots. The network scores afterstates, observed by the rules seen.
func share(b *testing.B, mlp *models.MLP, seen, r *martianrisk.Rules) float64 {
	greedy, err := r.Bot("greedy")
	if err != nil {
		b.Fatal(err)
	}
	const games = 1500
	spec := r.Spec()
	d := spec.ObsLen()
	obs, scores := make([]float32, spec.Actions*d), make([]float32, spec.Actions)
	var legal []game.Action
	row := make([]float64, spec.Actions)
	sum := 0.0
	for n := range games {
		seat := game.Player(n % spec.Players)
		dice := rand.NewPCG(1, uint64(n/spec.Players)) // the same for each seat
		s := r.Initial()
		for who := r.CurrentPlayer(s); who != game.Terminal; who = r.CurrentPlayer(s) {
			if who == game.Chance {
				s = r.Sample(s, dice)
				continue
			}
			var a game.Action
			if who == seat {
				legal = r.Legal(legal[:0], s)
				for i, a := range legal {
					next, err := r.Apply(s, a)
					if err != nil {
						b.Fatal(err)
					}
					seen.Encode(obs[i*d:(i+1)*d], next, who)
				}
				mlp.Forward(scores[:len(legal)], nil, obs[:len(legal)*d])
				a = legal[slices.Index(scores, slices.Max(scores[:len(legal)]))]
			} else {
				if err := greedy.Probs(row, []martianrisk.State{s}); err != nil {
					b.Fatal(err)
				}
				a = game.Action(slices.Index(row, 1))
			}
			if s, err = r.Apply(s, a); err != nil {
				b.Fatal(err)
			}
		}
		sum += spec.WinShare(r.Returns(nil, s)[seat])
	}
	return sum / games
}
