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
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
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
	cfg.Opponents = Opponents{Fraction: 0.5, Size: 3, Interval: 0.1, Power: 2}
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
		cfg.Opponents.Power = 50
		if got, _ := trained(t, g, cfg, 0); bytes.Equal(got, want) {
			t.Errorf("%s: preferring strong opponents changes nothing", head)
		}

		// Bots play from the first game on.
		bots := cfg
		bots.Opponents.Bots = map[string]float64{"greedy": 0.5, "random": 0.25}
		want, m = trained(t, g, bots, 0)
		if m.Pool == nil || m.Pool.Opponents != 5 || !(m.Pool.Bots["random"] > m.Pool.Bots["greedy"]) {
			t.Errorf("%s: metrics of a pool with bots: %+v", head, m.Pool)
		}
		for _, stop := range []uint64{1, 8} {
			if got, _ := trained(t, g, bots, stop); !bytes.Equal(got, want) {
				t.Errorf("%s: with bots the model differs if interrupted after iteration %d", head, stop)
			}
		}

		cfg.Opponents.Interval = 1 // never
		early, m := trained(t, g, cfg, 0)
		if m.Pool != nil {
			t.Errorf("%s: metrics of an empty pool: %+v", head, m.Pool)
		}
		cfg.Opponents = Opponents{Bots: map[string]float64{"greedy": 1}}
		if got, _ := trained(t, g, cfg, 0); !bytes.Equal(got, early) {
			t.Errorf("%s: an empty pool is not the same as none", head)
		}
	}
}

// TestPopulation trains two networks first. The first is that of a run of its own that
// begins with the same weights.
func TestPopulation(t *testing.T) {
	g := openGame(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`)
	cfg := poolConfig(models.Score)
	cfg.Opponents.Population, cfg.Opponents.PopulationSteps = 2, 0.25
	dir := t.TempDir()
	var pools []int
	opt := Options{Game: g, Dir: dir, Learner: gorgonia.New, Report: func(m Metrics) {
		n := 0
		if m.Pool != nil {
			n = m.Pool.Opponents
		}
		pools = append(pools, n)
	}}
	if _, err := Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	// Half of 12 rollouts is that of the population; then a copy joins at each tenth of the rest.
	if want := []int{0, 0, 0, 0, 0, 0, 2, 3, 5, 5, 5, 5}; !slices.Equal(pools, want) {
		t.Errorf("opponents in each iteration: %v; want %v", pools, want)
	}
	f, err := models.Load(filepath.Join(dir, CheckpointFile))
	if err != nil {
		t.Fatal(err)
	}
	start, err := models.NewMLP(cfg.shape(g.Spec()), rand.NewPCG(cfg.Seed, populationStream))
	if err != nil {
		t.Fatal(err)
	}
	alone := cfg
	alone.Opponents, alone.Steps = Opponents{}, cfg.Steps/4
	mlp, err := Run(t.Context(), alone, Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	weights, err := binary.Append(nil, binary.LittleEndian, mlp.Weights())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(f.Blobs[copyBlob(0)], weights) {
		t.Error("the first of the population differs from the network of its own run")
	}
	if bytes.Equal(f.Blobs[copyBlob(1)], f.Blobs[copyBlob(0)]) || bytes.Equal(f.Blobs[copyBlob(2)], f.Blobs[copyBlob(1)]) {
		t.Error("two networks of the pool are the same")
	}

	want, _ := trained(t, g, cfg, 0)
	for _, stop := range []uint64{2, 3, 5, 6, 9} { // within each network and between them
		if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
			t.Errorf("the model differs if interrupted after iteration %d", stop)
		}
	}
	other := cfg
	other.Seed++
	if got, _ := trained(t, g, other, 0); bytes.Equal(got, want) {
		t.Error("another seed gives the same model")
	}

	// The mean of all three is the model, and changes nothing else.
	cfg.Opponents.Ensemble = true
	opt = Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New}
	mean, err := Run(t.Context(), cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = models.Load(filepath.Join(opt.Dir, CheckpointFile)); err != nil {
		t.Fatal(err)
	}
	networks := []*models.MLP{f.MLP}
	others := &pool{spec: g.Spec()}
	if err := others.restoreNetworks(f.Blobs, 2, f.MLP); err != nil {
		t.Fatal(err)
	}
	networks = append(networks, others.mlp...)
	expected, err := models.Mean(networks, []float32{0.5, 0.25, 0.25})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := models.Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	model, err := models.Load(filepath.Join(opt.Dir, agents.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.MLP.Weights(), plain.MLP.Weights()) {
		t.Error("the network itself differs with an ensemble")
	}
	if !slices.Equal(mean.Weights(), expected.Weights()) || !slices.Equal(model.MLP.Weights(), expected.Weights()) {
		t.Error("the model is not the mean of the network and its population")
	}
	want, _ = trained(t, g, cfg, 0)
	for _, stop := range []uint64{3, 9} {
		if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
			t.Errorf("the mean differs if interrupted after iteration %d", stop)
		}
	}
}

// newTestPool returns a pool for the rows of a rollout, which may be nil.
func newTestPool(t *testing.T, cfg Opponents, g env.Game, r *rollout) *pool {
	t.Helper()
	var list []*rollout
	if r != nil {
		list = append(list, r)
		r.openings = newOpenings(Openings{}, r.batch.Buffers())
	}
	p, err := newPool(cfg, g, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPopulationBots has bots as opponents while a population is trained, if its networks are
// part of the model.
func TestPopulationBots(t *testing.T) {
	g := openGame(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`)
	mlp := network(t, g, models.Score)
	cfg := Opponents{Fraction: 1, Bots: map[string]float64{"greedy": 0.25}, Population: 2, PopulationSteps: 0.25, Power: 2}
	for _, ensemble := range []bool{false, true} {
		cfg.Ensemble = ensemble
		training := []float64{1}
		if ensemble {
			training = []float64{0.75, 0.25}
		}
		p := newTestPool(t, cfg, g, nil)
		for networks, want := range [][]float64{training, training, {0, 0.25, 0.375, 0.375}} {
			if p.begin(mlp, 0); !slices.Equal(p.prob, want) {
				t.Errorf("ensemble %v, %d networks: probabilities %v; want %v", ensemble, networks, p.prob, want)
			}
			if networks < 2 {
				p.join(mlp.Clone())
			}
		}
	}
}

func TestPoolDraw(t *testing.T) {
	g := openGame(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`)
	mlp := network(t, g, models.Score)
	r := newRollout(g.NewBatch(4, 0), models.Score, 1, 0)
	bots := map[string]float64{"random": 0.1, "greedy": 0.3}
	p := newTestPool(t, Opponents{Fraction: 1, Bots: bots, Size: 3, Interval: 0.25, Power: 2}, g, r)

	// draws returns how often each opponent is drawn, and how often each seat learns
	// in a game with opponents in the other two.
	const n = 100_000
	noise := rand.NewPCG(1, 0)
	draws := func() (opponents [6]float64, learns [3]float64) {
		for range n {
			r.pool.newGame(2, noise)
			own := 0
			seats := r.pool.rows[2]
			for seat, k := range seats {
				if k == itself {
					own++
					learns[seat]++
				}
				opponents[k]++
				if a, b := seats[(seat+1)%3], seats[(seat+2)%3]; k > itself && k <= len(bots) && max(a, b) != k {
					t.Fatalf("%v: a bot has not all other seats", seats)
				}
			}
			opponents[itself]-- // the seat that learns in any case
			if own == 0 {
				t.Fatal("no seat learns")
			}
		}
		return opponents, learns
	}
	check := func(want []float64) {
		t.Helper()
		opponents, _ := draws()
		if len(p.prob) != len(want) {
			t.Fatalf("%d opponents; want %d", len(p.prob), len(want))
		}
		for k, w := range want {
			if !(math.Abs(p.prob[k]-w) <= 1e-12) {
				t.Errorf("opponent %d has probability %v; want %v", k, p.prob[k], w)
			}
			if !(math.Abs(opponents[k]/(2*n)-w) <= 0.01) {
				t.Errorf("opponent %d is drawn for %v of %d seats; want a fraction of %v", k, opponents[k], 2*n, w)
			}
		}
	}
	check([]float64{0.6, 0.3, 0.1}) // without a copy the network itself
	p.begin(mlp, 0.75)
	p.Won, p.Games = []float64{1, 1, 10, 50, 75}, []float64{100, 100, 100, 100, 100}
	p.begin(mlp, 0.9)
	check([]float64{0, 0.3, 0.1, 0.6 * 0.81 / 1.1225, 0.6 * 0.25 / 1.1225, 0.6 * 0.0625 / 1.1225})
	_, learns := draws()
	for seat, x := range learns {
		if !(math.Abs(x/n-1./3) <= 0.01) {
			t.Errorf("seat %d learns in %v of %d games", seat, x, n)
		}
	}

	// Without copies the network itself plays in their place.
	alone := newRollout(g.NewBatch(4, 0), models.Score, 1, 0)
	q := newTestPool(t, Opponents{Fraction: 1, Bots: bots, Interval: 0.25}, g, alone)
	q.begin(mlp, 1)
	if len(q.mlp) != 0 || !(math.Abs(q.prob[itself]-0.6) <= 1e-12) {
		t.Errorf("without copies the pool has %d, and probabilities %v", len(q.mlp), q.prob)
	}

	// A game counts for each opponent in it.
	r.pool.reset()
	for _, test := range []struct {
		seats   []int
		returns []float32
	}{
		{[]int{5, 0, 1}, []float32{-0.5, 1, -0.5}}, // better than both
		{[]int{0, 5, 2}, []float32{-0.5, 1, -0.5}}, // worse than 5, equal to 2
		{[]int{0, 5, 5}, []float32{0, 0, 0}},
		{[]int{0, 0, 5}, []float32{1, -0.5, -0.5}}, // two seats learn
	} {
		r.pool.rows[0] = test.seats
		r.pool.gameOver(0, test.returns)
	}
	m := p.end()
	for k, want := range map[int][2]float64{
		1: {decay*1 + (1-decay)*priorGames/2 + 1, decay*100 + (1-decay)*priorGames + 1},
		2: {decay*1 + (1-decay)*priorGames/2 + 0.5, decay*100 + (1-decay)*priorGames + 1},
		3: {decay*10 + (1-decay)*priorGames/2, decay*100 + (1-decay)*priorGames},
		5: {decay*75 + (1-decay)*priorGames/2 + 1 + 1 + 1.5, decay*100 + (1-decay)*priorGames + 1 + 1 + 2 + 2},
	} {
		if won, games := p.Won[k-1], p.Games[k-1]; !(math.Abs(won-want[0]) <= 1e-9) || !(math.Abs(games-want[1]) <= 1e-9) {
			t.Errorf("%v of %v games won against opponent %d; want %v of %v", won, games, k, want[0], want[1])
		}
	}
	if least := p.Won[1] / p.Games[1]; m.MinWin != least || !(m.Win > least) || m.Bots["random"] != least || m.Bots["greedy"] != p.Won[0]/p.Games[0] {
		t.Errorf("metrics %+v; want least %v", m, least)
	}

	// The next copy replaces the oldest.
	p.begin(mlp, 1)
	if p.Won[2] != priorGames/2 || p.Games[2] != priorGames || len(p.mlp) != 3 {
		t.Errorf("a fourth copy: %d opponents, the first with %v of %v", len(p.mlp), p.Won[2], p.Games[2])
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
	const valid = `"won": [5, 5], "games": [10, 10], "rows": [[[0, 2], [1, 0]]]`
	for _, test := range []struct {
		state   string
		weights []byte
		want    string
	}{
		{`"bots": ["random"], ` + valid, weights, ""},
		{valid, weights, `the run plays against []; want ["random"]`},
		{`"bots": ["greedy"], ` + valid, weights, `the run plays against ["greedy"]`},
		{`"bots": ["random"], "won": [5, 0], "games": [10, 0]`, weights, "counts of 2 and 2 opponents, a population of 0, and 0 shards"},
		{`"bots": ["random"], "won": [5, 0], "games": [10, 0], "rows": [[]]`, weights, "0 of 0 games"},
		{`"bots": ["random"], "won": [11, 5], "games": [10, 10], "rows": [[]]`, weights, "11 of 10 games"},
		{`"bots": ["random"], "won": [-1, 5], "games": [10, 10], "rows": [[]]`, weights, "-1 of 10 games"},
		{`"bots": ["random"], "won": [5], "games": [10], "rows": [[]]`, weights, "counts of 1 and 1 opponents"},
		{`"bots": ["random"], "won": [5, 5], "games": [10, 10], "rows": [[]]`, weights, "0 rows in shard 0; want 2"},
		{`"bots": ["random"], "won": [5, 5], "games": [10, 10], "rows": [[[0, 1], [0]]]`, weights, "opponents [0]; want 2 from 0 to 2"},
		{`"bots": ["random"], "won": [5, 5], "games": [10, 10], "rows": [[[0, 1], [0, 3]]]`, weights, "opponents [0 3]; want 2 from 0 to 2"},
		{`"bots": ["random"], "won": [5, 5], "games": [10, 10], "rows": [[[0, 1], [-1, 0]]]`, weights, "opponents [-1 0]; want 2 from 0 to 2"},
		{`"bots": ["random"], ` + valid, weights[4:], "bytes"},
		{`"bots": ["random"], ` + valid, wild, "opponent 0: "},
	} {
		b := g.NewBatch(2, 0)
		b.Reset(1)
		cfg := Opponents{Fraction: 1, Bots: map[string]float64{"random": 0.5}, Size: 3, Interval: 0.25, Power: 2}
		p := newTestPool(t, cfg, g, newRollout(b, models.Score, 1, 0))
		blobs := map[string][]byte{"pool": []byte(`{"taken": 1, ` + test.state + `}`), copyBlob(0): test.weights}
		err := p.restore(blobs, mlp)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v; want %q", test.state, err, test.want)
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
		r := newRollout(b, head, 4000, 0)
		p := newTestPool(t, Opponents{Fraction: 0.5, Size: 2, Interval: 0.1, Power: 1}, g, r)
		mlp := network(t, g, head)
		p.begin(mlp, 0.2)
		if head == models.Logits {
			layers := p.mlp[0].Layers()
			layers[len(layers)-1].B[0] = 50
		} else {
			p.policies[0] = roller{g.Spec().Actions}
		}
		if err := r.play(t.Context(), mlp, 1, 0.85); err != nil {
			t.Fatal(err)
		}
		p.end()
		if w := p.Won[0] / p.Games[0]; !(w > 0.75) { // a game won by a copy in the third seat counts one half
			t.Errorf("%s: wins %v of the games against an opponent that does not stop", head, w)
		}
		if w := p.Won[1] / p.Games[1]; !(math.Abs(w-0.5) <= 0.1) {
			t.Errorf("%s: wins %v of the games against copies of itself", head, w)
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
	for _, test := range [][3]float32{{1, -1, 1}, {-1, 1, 0}, {-20, -20, 0.5}} {
		if got := better(test[0], test[1]); got != float64(test[2]) {
			t.Errorf("a return of %v against %v: %v; want %v", test[0], test[1], got, test[2])
		}
	}
}
