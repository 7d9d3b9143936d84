// In package martianrisk: greedy bots with other thresholds are not exported.
package martianrisk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
)

// BenchmarkLength measures the length of games and how many end by conquest:
//
//	go test -run '^$' -bench Length -benchtime 1000x ./env/martianrisk
func BenchmarkLength(b *testing.B) {
	presets := []struct {
		name string
		cfg  Config
	}{{"small", SmallConfig()}, {"published", DefaultConfig()}}
	for _, preset := range presets {
		for _, limit := range []int{20, 50, 100, 250} {
			cfg := preset.cfg
			cfg.MaxRounds = limit
			r, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			for _, threshold := range []float64{0, 0.3, 0.5, 0.9} {
				name := fmt.Sprintf("%s/rounds=%d/attack-from=%.1f", preset.name, limit, threshold)
				b.Run(name, func(b *testing.B) { playLength(b, r, threshold) })
			}
			b.Run(fmt.Sprintf("%s/rounds=%d/random", preset.name, limit), func(b *testing.B) { playLength(b, r, -1) })
		}
	}
}

// playLength plays games between greedy bots with a threshold, or random games if it is
// negative.
func playLength(b *testing.B, r *Rules, threshold float64) {
	g := newGreedy(r)
	g.threshold = threshold
	var legal []game.Action
	conquests, eliminated, rounds, decisions, n := 0, 0, 0, 0, 0
	for b.Loop() {
		dice, choices := rand.NewPCG(1, uint64(n)), rand.New(rand.NewPCG(2, uint64(n)))
		n++
		s := r.Initial()
		for r.CurrentPlayer(s) != game.Terminal {
			if r.CurrentPlayer(s) == game.Chance {
				s = r.Sample(s, dice)
				continue
			}
			var a game.Action
			if threshold < 0 {
				legal = r.Legal(legal[:0], s)
				a = legal[choices.IntN(len(legal))]
			} else {
				a = g.choose(&s)
			}
			next, err := r.Apply(s, a)
			if err != nil {
				b.Fatal(err)
			}
			s = next
			decisions++
		}
		rounds += int(s.Round)
		for _, own := range s.Own[:r.cfg.Players] {
			if own == 0 {
				eliminated++
			}
		}
		if s.Own[s.Mover] == r.board.all {
			conquests++
		}
	}
	games := float64(b.N)
	b.ReportMetric(100*float64(conquests)/games, "%conquests")
	b.ReportMetric(float64(eliminated)/games, "eliminated")
	b.ReportMetric(float64(rounds)/games, "rounds")
	b.ReportMetric(float64(decisions)/games, "decisions")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkThreshold measures the share of the win of one greedy bot against two with
// another threshold, each game in all three seats:
//
//	go test -run '^$' -bench Threshold -benchtime 1000x ./env/martianrisk
func BenchmarkThreshold(b *testing.B) {
	for _, preset := range []struct {
		name string
		cfg  Config
	}{{"small", SmallConfig()}, {"published", DefaultConfig()}} {
		r, err := New(preset.cfg)
		if err != nil {
			b.Fatal(err)
		}
		for _, threshold := range [][2]float64{{0.8, 0.5}, {0.9, 0.8}} {
			b.Run(fmt.Sprintf("%s/%.1f-against-%.1f", preset.name, threshold[0], threshold[1]), func(b *testing.B) {
				one, others := newGreedy(r), newGreedy(r)
				one.threshold, others.threshold = threshold[0], threshold[1]
				n, win := 0, 0.0
				for b.Loop() {
					for seat := range game.Player(3) {
						dice := rand.NewPCG(1, uint64(n))
						s := r.Initial()
						for who := r.CurrentPlayer(s); who != game.Terminal; who = r.CurrentPlayer(s) {
							g := others
							switch who {
							case game.Chance:
								s = r.Sample(s, dice)
								continue
							case seat:
								g = one
							}
							if s, err = r.Apply(s, g.choose(&s)); err != nil {
								b.Fatal(err)
							}
						}
						win += r.spec.WinShare(r.Returns(nil, s)[seat]) / 3
					}
					n++
				}
				b.ReportMetric(100*win/float64(n), "%win")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
