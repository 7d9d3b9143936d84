// In package train for the views, which a run does not report.
package train

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
	"marsgym/models"
)

// TestViews compares what seats see with observations of positions in which the other
// seats have exchanged all they hold.
func TestViews(t *testing.T) {
	cfg := martianrisk.DefaultConfig()
	cfg.Players = 4
	rules, err := martianrisk.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	v := newViews(rules.Spec(), 1, true)
	if len(v.orders) != 6 || !slices.Equal(v.orders[0], []int{0, 1, 2, 3}) {
		t.Fatalf("orders %v; want six, the first as in play", v.orders)
	}
	d := rules.Spec().ObsLen()
	obs, want := make([]float32, d), make([]float32, d)
	dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
	seen := 0
	for s := rules.Initial(); ; {
		who := rules.CurrentPlayer(s)
		if who == game.Terminal {
			break
		}
		if who == game.Chance {
			s = rules.Sample(s, dice)
			continue
		}
		viewer := choices.IntN(4)
		for k, order := range v.orders {
			held := s
			for at, from := range order {
				to, from := (viewer+at)%4, (viewer+from)%4
				held.Own[to], held.Lost[to] = s.Own[from], s.Lost[from]
			}
			rules.Encode(obs, s, game.Player(viewer))
			rules.Encode(want, held, game.Player(viewer))
			got, options := v.show(obs, obs, k)
			if !slices.Equal(got, want) || !slices.Equal(options, want) {
				t.Fatalf("order %v of %q is not as in %q", order, rules.Format(s), rules.Format(held))
			}
			if k > 0 && !slices.Equal(obs, want) {
				seen++
			}
		}
		legal := rules.Legal(nil, s)
		if s, err = rules.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	if seen < 1000 {
		t.Errorf("%d views differ from the observation", seen)
	}

	values, shown, back := []float32{0, 1, 2, 3}, make([]float32, 4), make([]float32, 4)
	for k, order := range v.orders {
		v.toView(shown, values, k)
		v.fromView(back, shown, k)
		for at, seat := range order {
			if shown[at] != float32(seat) || back[at] != values[at] {
				t.Errorf("order %v shows values %v as %v, and these as %v", order, values, shown, back)
			}
		}
	}
}

// TestViewsOfGames counts the orders that seats have in many games.
func TestViewsOfGames(t *testing.T) {
	spec := openGame(t, "martian-risk-small", "{}").Spec()
	v, noise := newViews(spec, 1, true), rand.NewPCG(1, 0)
	var count [2][2][2]int // by the orders of the three seats
	const games = 8000
	for range games {
		v.newGame(0, noise)
		count[v.order(0, 0)][v.order(0, 1)][v.order(0, 2)]++
	}
	for _, n := range slices.Concat(count[0][0][:], count[0][1][:], count[1][0][:], count[1][1][:]) {
		if n < games/8-150 || n > games/8+150 {
			t.Errorf("the orders of three seats come %v times in %d games; want each as often", count, games)
		}
	}
	off, before := newViews(spec, 1, false), *noise
	off.newGame(0, noise)
	if *noise != before || off.order(0, 2) != 0 {
		t.Error("without other-play something is drawn")
	}
}

// TestViewsOfOpponents compares what an opponent sees with show.
func TestViewsOfOpponents(t *testing.T) {
	g := openGame(t, "martian-risk-small", "{}")
	d := g.Spec().ObsLen()
	b := g.NewBatch(16, 0)
	b.Reset(1)
	v := newViews(g.Spec(), 16, true)
	rows, orders := []int{1, 2, 5, 7, 11}, [2]int{}
	for i, noise := range b.Buffers().Noise {
		v.newGame(i, &noise)
	}
	got, want := v.decisions(b, rows), b.Decisions(rows)
	after, plain := got.Afterstates(), want.Afterstates()
	for k, i := range rows {
		order := v.order(i, b.Buffers().Player[i])
		orders[order]++
		from, to := plain.Start[k]*d, plain.Start[k+1]*d
		obs, options := v.show(want.Obs()[k*d:][:d], plain.Obs[from:to], order)
		if !slices.Equal(got.Obs()[k*d:][:d], obs) || !slices.Equal(after.Obs[from:to], options) {
			t.Errorf("row %d: an opponent does not see order %d", i, order)
		}
	}
	if orders[0] == 0 || orders[1] == 0 {
		t.Errorf("orders are seen %v times; want both", orders)
	}
}

// TestOtherPlayBits interrupts runs with views and a population.
func TestOtherPlayBits(t *testing.T) {
	g := openGame(t, "martian-risk-small", "{}")
	for _, head := range []models.Head{models.Score, models.Logits} {
		cfg := poolConfig(head)
		cfg.OtherPlay = true
		cfg.Opponents.Population, cfg.Opponents.PopulationSteps = 1, 0.25
		want, _ := trained(t, g, cfg, 0)
		for _, stop := range []uint64{1, 5} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(int(stop)))
			if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
				t.Errorf("%s: the model differs if interrupted after iteration %d", head, stop)
			}
		}
		cfg.OtherPlay = false
		if got, _ := trained(t, g, cfg, 0); bytes.Equal(got, want) {
			t.Errorf("%s: views change nothing", head)
		}
	}
}

// TestViewsRefuse restores invalid checkpoints.
func TestViewsRefuse(t *testing.T) {
	g := openGame(t, "martian-risk-small", "{}")
	r := newRollout(g.NewBatch(2, 0), models.Logits, 1, true)
	for text, want := range map[string]string{
		``:                 "views: unexpected end",
		`[[1, 2], [3, 4]]`: "views: 2 shards; want 1",
		`[[1, 2, 3]]`:      "views: 3 rows in shard 0; want 2",
		`[[1, -2]]`:        "views: json",
	} {
		err := restoreViews(map[string][]byte{viewsBlob: []byte(text)}, []*rollout{r})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
