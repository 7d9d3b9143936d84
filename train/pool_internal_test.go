// In package train for the helpers of other tests.
package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/tensorboard"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train/method"
)

func poolConfig(head models.Head) Config {
	cfg := DefaultConfig(AlgorithmPPO)
	cfg.Head, cfg.Hidden = head, []int{16}
	cfg.Rows = 30
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
	for tag, key := range map[string]string{"pool/win": `"win":`, "pool/min_win": `"min_win":`} {
		if got, want := bytes.Count(events, []byte(tag)), bytes.Count(lines, []byte(key)); got != want {
			t.Errorf("%d events have %s; want %d", got, tag, want)
		}
	}
	return model, last
}

func TestPoolBits(t *testing.T) {
	heads := []models.Head{models.Logits}
	if fulltest.On() {
		heads = append(heads, models.Score)
	}
	stops, withBots := []uint64{1, 3, 8}, []uint64{1, 8} // with no opponent yet, with one, with more snapshots than the pool holds
	if testing.Short() {
		stops, withBots = stops[2:], withBots[1:]
	}
	for _, head := range heads {
		g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
		cfg := poolConfig(head)
		want, m := trained(t, g, cfg, 0)
		if m.Pool == nil || m.Pool.Opponents != 3 || !(m.Pool.MinWin.Value() > 0 && m.Pool.MinWin.Value() <= m.Pool.Win.Value() && m.Pool.Win.Value() < 1) {
			t.Errorf("%s: metrics of the pool at the end: %+v", head, m.Pool)
		}
		for i, stop := range stops {
			procs := 1 + 4*(i%2)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
				t.Errorf("%s: the model differs with GOMAXPROCS %d if interrupted after iteration %d", head, procs, stop)
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
		if m.Pool == nil || m.Pool.Opponents != 5 || !(m.Pool.Bots["random"].Value() > m.Pool.Bots["greedy"].Value()) {
			t.Errorf("%s: metrics of a pool with bots: %+v", head, m.Pool)
		}
		for _, stop := range withBots {
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
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
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
	start, err := models.NewMLP(cfg.shape(g.Spec()), rand.NewPCG(cfg.Seed, method.PopulationStream))
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
	if !bytes.Equal(f.Blobs[method.OpponentBlob(0)], weights) {
		t.Error("the first of the population differs from the network of its own run")
	}
	if bytes.Equal(f.Blobs[method.OpponentBlob(1)], f.Blobs[method.OpponentBlob(0)]) || bytes.Equal(f.Blobs[method.OpponentBlob(2)], f.Blobs[method.OpponentBlob(1)]) {
		t.Error("two networks of the pool are the same")
	}

	want, err := os.ReadFile(filepath.Join(dir, agents.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	stops := []uint64{2, 6, 9} // within networks and between them
	switch {
	case fulltest.On():
		stops = []uint64{2, 3, 5, 6, 9}
	case testing.Short():
		stops = []uint64{3, 9}
	}
	for _, stop := range stops {
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
	for k := range 2 {
		m, err := method.RestoreOpponent(f.Blobs, k, f.MLP)
		if err != nil {
			t.Fatal(err)
		}
		networks = append(networks, m)
	}
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
	if want, err = os.ReadFile(filepath.Join(opt.Dir, agents.ModelFile)); err != nil {
		t.Fatal(err)
	}
	for _, stop := range []uint64{3, 9} {
		if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
			t.Errorf("the mean differs if interrupted after iteration %d", stop)
		}
	}
}

// TestStartOfPopulation: the network that a run starts with follows its population.
func TestStartOfPopulation(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := poolConfig(models.Logits)
	cfg.Hidden, cfg.LearningRate = []int{8}, Schedule{0, 0}
	cfg.Opponents.Population, cfg.Opponents.PopulationSteps = 2, 0.2
	start := newTestNetwork(t, g, models.Logits)
	mlp, err := Run(t.Context(), cfg, Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mlp.Weights(), start.Weights()) {
		t.Error("without learning the network ends as another one")
	}
}

func newTestNetwork(t *testing.T, g env.Game, head models.Head) *models.MLP {
	t.Helper()
	s := g.Spec()
	mlp, err := models.NewMLP(models.Shape{Obs: s.ObsLen(), Hidden: []int{8}, Head: head, Actions: s.Actions, Players: s.Players}, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return mlp
}
