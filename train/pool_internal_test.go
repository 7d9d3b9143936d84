// In package train for the pool, of which a run reports only three numbers.
package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/fulltest"
	"marsgym/internal/tensorboard"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

func openGame(t *testing.T, id, config string) env.Game {
	t.Helper()
	g, err := catalog.Open(id, 0, []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func poolConfig(head models.Head) Config {
	cfg := DefaultConfig(AlgorithmPPO)
	cfg.Head, cfg.Hidden = head, []int{16}
	cfg.Rows, cfg.Shards = 30, 3
	cfg.PPO.Horizon, cfg.PPO.Minibatch = 32, 240
	cfg.Steps, cfg.Evaluations = 12*30*32, 0
	cfg.PPO.Pool = Pool{Fraction: 0.5, Size: 3, Interval: 0.1, Power: 2}
	return cfg
}

// trained returns the model file and last metrics of a run, which is interrupted
// after iteration stop and resumed unless stop is 0.
func trained(t *testing.T, g env.Game, cfg Config, stop uint64) (model []byte, last Metrics) {
	t.Helper()
	opt := Options{Game: g, Dir: t.TempDir()}
	opt.Learner = gorgonia.New
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt.Report = func(m Metrics) {
		if last = m; m.Iteration == stop {
			cancel()
		}
	}
	_, err := Run(ctx, cfg, opt)
	if stop > 0 && errors.Is(err, ErrInterrupted) {
		opt.Resume = true
		_, err = Run(t.Context(), cfg, opt)
	}
	if err == nil {
		model, err = os.ReadFile(filepath.Join(opt.Dir, agents.ModelFile))
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(filepath.Join(opt.Dir, MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	events, err := os.ReadFile(filepath.Join(opt.Dir, tensorboard.File))
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"pool/win", "pool/min_win"} {
		if got, want := bytes.Count(events, []byte(tag)), bytes.Count(lines, []byte(`"pool":`)); got != want {
			t.Errorf("%d events have %s; want %d", got, tag, want)
		}
	}
	return model, last
}

func TestPoolBits(t *testing.T) {
	heads := []models.Head{models.Score}
	if fulltest.On() {
		heads = append(heads, models.Logits)
	}
	for _, head := range heads {
		g := openGame(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`)
		cfg := poolConfig(head)
		want, m := trained(t, g, cfg, 0)
		if m.Pool == nil || m.Pool.Opponents != 3 || !(m.Pool.MinWin > 0 && m.Pool.MinWin <= m.Pool.Win && m.Pool.Win < 1) {
			t.Errorf("%s: metrics of the pool at the end: %+v", head, m.Pool)
		}
		for _, procs := range []int{1, 5} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			if got, _ := trained(t, g, cfg, 0); !bytes.Equal(got, want) {
				t.Errorf("%s: the model differs with GOMAXPROCS %d", head, procs)
			}
		}
		for _, stop := range []uint64{1, 3, 8} { // with no opponent yet, with one, with more snapshots than the pool holds
			if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
				t.Errorf("%s: the model differs if interrupted after iteration %d", head, stop)
			}
		}
		cfg.PPO.Pool.Power = 50
		if got, _ := trained(t, g, cfg, 0); bytes.Equal(got, want) {
			t.Errorf("%s: preferring strong opponents changes nothing", head)
		}

		cfg.PPO.Pool.Interval = 1 // never
		early, m := trained(t, g, cfg, 0)
		if m.Pool != nil {
			t.Errorf("%s: metrics of an empty pool: %+v", head, m.Pool)
		}
		cfg.PPO.Pool = Pool{}
		if got, _ := trained(t, g, cfg, 0); !bytes.Equal(got, early) {
			t.Errorf("%s: an empty pool is not the same as none", head)
		}
	}
}

func TestPoolDraw(t *testing.T) {
	g := openGame(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`)
	mlp := network(t, g, models.Score)
	r := newRollout(g.NewBatch(4, 0), models.Score, 1)
	p := newPool(Pool{Fraction: 1, Size: 3, Interval: 0.25, Power: 2}, g.Spec(), []*rollout{r})
	p.begin(mlp, 0.75)
	p.Won, p.Games = []float64{10, 50, 75}, []float64{100, 100, 100}
	p.begin(mlp, 0.9)
	want := []float64{0.81 / 1.1225, 0.25 / 1.1225, 0.0625 / 1.1225}
	const n = 100_000
	var opponents, seats [3]float64
	r.pool.reset()
	noise := rand.NewPCG(1, 0)
	for range n {
		r.pool.gameOver(2, nil, noise)
		opponents[r.pool.rows[2].Opponent]++
		seats[r.pool.rows[2].Learner]++
	}
	for k, w := range want {
		if !(math.Abs(p.prob[k]-w) <= 1e-12) {
			t.Errorf("opponent %d has probability %v; want %v", k, p.prob[k], w)
		}
		if !(math.Abs(opponents[k]/n-w) <= 0.01) {
			t.Errorf("opponent %d is drawn in %v of %d games; want a fraction of %v", k, opponents[k], n, w)
		}
		if !(math.Abs(seats[k]/n-1./3) <= 0.01) {
			t.Errorf("seat %d learns in %v of %d games", k, seats[k], n)
		}
	}

	// Games count for the opponent that played them; truncated ones do not count.
	r.pool.rows[0] = matchup{Learner: 1, Opponent: 2}
	r.pool.gameOver(0, []float32{-0.5, 1, -0.5}, noise)
	r.pool.rows[0] = matchup{Learner: 0, Opponent: 2}
	r.pool.gameOver(0, []float32{-0.5, 1, -0.5}, noise)
	r.pool.rows[0] = matchup{Learner: 0, Opponent: 2}
	r.pool.gameOver(0, []float32{0, 0, 0}, noise)
	m := p.end()
	won, games := decay*75+(1-decay)*priorGames/2+1.5, decay*100+(1-decay)*priorGames+3
	if !(math.Abs(p.Won[2]-won) <= 1e-9) || !(math.Abs(p.Games[2]-games) <= 1e-9) {
		t.Errorf("%v of %v games won against opponent 2; want %v of %v", p.Won[2], p.Games[2], won, games)
	}
	if least := p.Won[0] / p.Games[0]; m.MinWin != least || !(m.Win > least) {
		t.Errorf("metrics %+v; want least %v", m, least)
	}

	// The next snapshot replaces the oldest.
	p.begin(mlp, 1)
	if p.Won[0] != priorGames/2 || p.Games[0] != priorGames || len(p.mlp) != 3 {
		t.Errorf("a fourth snapshot: %d opponents, the first with %v of %v", len(p.mlp), p.Won[0], p.Games[0])
	}
}

func network(t *testing.T, g env.Game, head models.Head) *models.MLP {
	t.Helper()
	s := g.Spec()
	mlp, err := models.NewMLP(models.Shape{Obs: s.ObsLen(), Hidden: []int{8}, Head: head, Actions: s.Actions, Players: s.Players}, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return mlp
}

// TestPoolRefuses restores invalid checkpoints.
func TestPoolRefuses(t *testing.T) {
	g := openGame(t, "pig", `{"target": 10}`)
	mlp := network(t, g, models.Score)
	weights, err := binary.Append(nil, binary.LittleEndian, mlp.Weights())
	if err != nil {
		t.Fatal(err)
	}
	wild := bytes.Clone(weights)
	copy(wild, []byte{0, 0, 0xc0, 0x7f}) // not a number
	for _, test := range []struct {
		counts  string
		weights []byte
		want    string
	}{
		{`"won": [5], "games": [10]`, weights, ""},
		{`"won": [0], "games": [0]`, weights, "0 of 0 games"},
		{`"won": [11], "games": [10]`, weights, "11 of 10 games"},
		{`"won": [-1], "games": [10]`, weights, "-1 of 10 games"},
		{`"won": [5, 5], "games": [10, 10]`, weights, "counts of 2 and 2 opponents"},
		{`"won": [5], "games": [10]`, weights[4:], "bytes"},
		{`"won": [5], "games": [10]`, wild, "opponent 0: "},
	} {
		p := newPool(Pool{Fraction: 1, Size: 3, Interval: 0.25, Power: 2}, g.Spec(), nil)
		blobs := map[string][]byte{"pool": []byte(`{"taken": 1, ` + test.counts + `}`), opponentBlob(0): test.weights}
		err := p.restore(blobs, mlp)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v; want %q", test.counts, err, test.want)
		}
	}
}

// TestPoolSeats plays Pig against an opponent that always rolls, and so wins almost
// no game, and against a copy of the network.
func TestPoolSeats(t *testing.T) {
	for _, head := range []models.Head{models.Score, models.Logits} {
		g := openGame(t, "pig", `{"players": 3, "target": 200}`)
		b := g.NewBatch(32, 0)
		b.Reset(1)
		r := newRollout(b, head, 4000)
		p := newPool(Pool{Fraction: 0.5, Size: 2, Interval: 0.1, Power: 1}, g.Spec(), []*rollout{r})
		mlp := network(t, g, head)
		p.begin(mlp, 0.2)
		if head == models.Logits {
			layers := p.mlp[0].Layers()
			layers[len(layers)-1].B[0] = 50
		} else {
			p.policies[0] = roller{g.Spec().Actions}
		}
		if err := r.play(mlp, 1, 0.85); err != nil {
			t.Fatal(err)
		}
		p.end()
		if w := p.Won[0] / p.Games[0]; !(w > 0.9) {
			t.Errorf("%s: wins %v of the games against an opponent that does not stop", head, w)
		}
		if w := p.Won[1] / p.Games[1]; !(math.Abs(w-1./3) <= 0.1) {
			t.Errorf("%s: wins %v of the games against copies of itself in two of three seats", head, w)
		}
		for i := range r.n {
			var learns [3]bool
			games, most := 0, 0
			for at := i; at < r.t*r.n; at += r.n {
				if r.start[at] < r.start[at+1] {
					learns[r.mover[at]] = true
				}
				if r.ended[at] == running {
					continue
				}
				seats := 0
				for _, ok := range learns {
					if ok {
						seats++
					}
				}
				if games > 0 { // the first began with an empty pool
					most = max(most, seats)
				}
				games, learns = games+1, [3]bool{}
			}
			if pooled := i < 16; pooled && most != 1 || !pooled && most != 3 {
				t.Errorf("%s: in row %d up to %d seats learn in a game, of %d games", head, i, most, games)
			}
		}
	}
}

// roller always takes action 0.
type roller struct{ actions int }

func (r roller) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	for i := range d.Len() {
		dst[i*r.actions] = 1
	}
	return nil
}

func TestBetter(t *testing.T) {
	for _, test := range []struct {
		returns []float32
		seat    game.Player
		want    float64
	}{
		{[]float32{1, -1}, 0, 1},
		{[]float32{1, -1}, 1, 0},
		{[]float32{0, 0}, 1, 0.5},
		{[]float32{-3}, 0, 0.5},
		{[]float32{-20, -30, -40}, 0, 1},
		{[]float32{-20, -30, -40}, 1, 0.5},
	} {
		if got := better(test.returns, test.seat); got != test.want {
			t.Errorf("seat %d with returns %v: %v; want %v", test.seat, test.returns, got, test.want)
		}
	}
}
