package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/tensorboard"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

func learner(m *models.MLP, c models.AdamConfig) (models.Learner, error) { return gorgonia.New(m, c) }

// small is a config of half a second.
func small() train.Config {
	cfg := train.DefaultConfig(train.AlgorithmPPO)
	cfg.Hidden = []int{32}
	cfg.Rows = 32
	cfg.PPO.Horizon, cfg.PPO.Minibatch, cfg.PPO.Epochs, cfg.PPO.Outcomes = 32, 256, 2, 100
	cfg.Steps = 12 * 32 * 32
	cfg.Evaluations, cfg.Checkpoints = 2, 4
	return cfg
}

// brief is a config of a fraction of a second, or small for PPO.
func brief(a train.Algorithm) train.Config {
	if a == train.AlgorithmPPO {
		return small()
	}
	cfg := train.DefaultConfig(a)
	cfg.Hidden, cfg.Rows = []int{16}, 12
	cfg.Steps, cfg.Evaluations, cfg.Checkpoints = 3_000, 0, 1
	return cfg
}

func TestSameBits(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
	for _, a := range train.Algorithms() {
		for k, head := range []models.Head{models.Score, models.Logits, models.Score} {
			lag := k / 2
			if a == train.Search && head == models.Score || a != train.TurnExact && lag > 0 {
				continue // Search needs logits
			}
			t.Run(fmt.Sprint(a, " ", head, " ", lag), func(t *testing.T) {
				cfg := brief(a)
				cfg.Head, cfg.Expert.PolicyLag = head, lag
				procs := []int{1, 2, 5}
				switch {
				case testing.Short():
					cfg.Steps, procs = cfg.Steps/6, []int{1, 5}
				case !fulltest.On():
					cfg.Steps, procs = cfg.Steps/2, []int{1, 5}
				}
				var want []byte
				for _, procs := range procs {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
					dir := t.TempDir()
					if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: dir, Learner: learner}); err != nil {
						t.Fatal(err)
					}
					got := read(t, dir, agents.ModelFile)
					if want == nil {
						want = got
					}
					if !bytes.Equal(got, want) {
						t.Errorf("the model differs with GOMAXPROCS %d", procs)
					}
				}
			})
		}
	}
}

func TestOtherSeedOtherBits(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := small()
	cfg.Steps = 1
	var models [2][]byte
	for i := range models {
		cfg.Seed = uint64(i)
		dir := t.TempDir()
		m, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: dir, Learner: learner})
		if err != nil {
			t.Fatal(err)
		}
		models[i] = fmt.Append(nil, m.Weights())
	}
	if bytes.Equal(models[0], models[1]) {
		t.Error("two seeds give the same network")
	}
}

// TestEvaluations: a run makes fewer evaluations where these would take more than a
// quarter of the work.
func TestEvaluations(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := short(train.AlgorithmPPO)
	cfg.Steps, cfg.Checkpoints = 2560, 1 // 10 iterations
	fitted := 0
	counted := func(m *models.MLP, c models.AdamConfig) (models.Learner, error) {
		l, err := learner(m, c)
		return &rowCounter{l, &fitted}, err
	}
	if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: t.TempDir(), Learner: counted}); err != nil {
		t.Fatal(err)
	}
	// A quarter of the work: each row is evaluated once and fitted once, which costs as
	// much as four evaluations, and evaluations may cost a third of that.
	rows := fitted * 4 / 3
	exact := func(context.Context, *models.MLP) (*models.Exact, error) { return &models.Exact{}, nil }
	for _, test := range []struct {
		evaluations, rows int
		want              []uint64 // iterations
	}{
		{4, 0, []uint64{3, 5, 8, 10}},
		{4, rows / 5, []uint64{3, 5, 8, 10}},
		{4, rows * 2 / 5, []uint64{5, 10}}, // it would pay for two and a half
		{4, rows * 2, []uint64{10}},
		{1, 1, []uint64{10}},
		{0, 1, nil},
	} {
		var got []uint64
		cfg.Evaluations = test.evaluations
		_, err := train.Run(t.Context(), cfg, train.Options{
			Game: g, Dir: t.TempDir(), Learner: learner, Evaluate: exact, EvaluationRows: test.rows,
			Report: func(m train.Metrics) {
				if m.Exact != nil {
					got = append(got, m.Iteration)
				}
				if m.Evaluations != len(got) {
					t.Errorf("%d evaluations are counted after %d", m.Evaluations, len(got))
				}
			},
		})
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%d evaluations of %d rows: after iterations %v, error %v; want %v", test.evaluations, test.rows, got, err, test.want)
		}
	}
}

// rowCounter counts the rows that a learner fits.
type rowCounter struct {
	models.Learner
	rows *int
}

func (c *rowCounter) Fit(ctx context.Context, shards []models.Shard, rate float64) (float64, error) {
	for _, s := range shards {
		*c.rows += s.Len()
	}
	return c.Learner.Fit(ctx, shards, rate)
}

func TestResume(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	cfg := small()
	const rows = 30_000 // of an evaluation, so that the run makes two
	cfg.Evaluations = 4
	exact := func(_ context.Context, m *models.MLP) (*models.Exact, error) {
		return &models.Exact{Exploitability: float64(m.Weights()[0])}, nil
	}
	whole := t.TempDir()
	if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: whole, Learner: learner, Evaluate: exact, EvaluationRows: rows}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for stop := uint64(1); ; stop += 4 { // interrupted after iterations 1, 5 and 9
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		opt := train.Options{Game: g, Dir: dir, Learner: learner, Evaluate: exact, EvaluationRows: rows, Resume: stop > 1}
		opt.Report = func(m train.Metrics) {
			if m.Iteration == stop {
				cancel()
			}
		}
		_, err := train.Run(ctx, cfg, opt)
		if err == nil {
			break
		}
		if !errors.Is(err, train.ErrInterrupted) {
			t.Fatal(err)
		}
		// Lines after the checkpoint, as a crash leaves them, are removed.
		for _, name := range []string{train.MetricsFile, tensorboard.File} {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(f, "half a li")
			f.Close()
		}
	}
	if !bytes.Equal(read(t, dir, agents.ModelFile), read(t, whole, agents.ModelFile)) {
		t.Error("an interrupted run ends in another model")
	}
	same(t, dir, whole)
	events := read(t, dir, tensorboard.File)
	for tag, want := range map[string]int{"loss/policy": 12, "policy/kl": 12, "exact/exploitability": 2} {
		if n := bytes.Count(events, []byte(tag)); n != want {
			t.Errorf("%d events of %s; want %d", n, tag, want)
		}
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := small()
	cfg.Steps = 1
	opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Run(t.Context(), cfg, opt); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second run in the same folder: %v", err)
	}
	for _, name := range []string{train.MetricsFile, tensorboard.File} {
		if err := os.Remove(filepath.Join(opt.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := train.Run(t.Context(), cfg, opt); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second run in a folder with a checkpoint alone: %v", err)
	}
}

// diverging fails at the twentieth minibatch.
type diverging struct {
	models.Learner
	fits int
}

func (d *diverging) Fit(ctx context.Context, rows []models.Shard, rate float64) (float64, error) {
	if d.fits++; d.fits == 20 {
		loss := rows[0].Loss
		rows[0].Loss = func(policy, values, dpolicy, dvalues []float32) {
			loss(policy, values, dpolicy, dvalues)
			dvalues[0] = float32(math.NaN())
		}
	}
	return d.Learner.Fit(ctx, rows, rate)
}

func TestDivergence(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := small()
	cfg.Checkpoints = 12 // one for each iteration
	dir := t.TempDir()
	_, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: dir,
		Learner: func(m *models.MLP, c models.AdamConfig) (models.Learner, error) {
			l, err := learner(m, c)
			return &diverging{Learner: l}, err
		}})
	if !errors.Is(err, models.ErrDiverged) || !strings.Contains(err.Error(), "iteration 3: minibatch 4:") {
		t.Errorf("got %v; want an error of minibatch 4 of iteration 3 that wraps ErrDiverged", err)
	}
	f, err := models.Load(filepath.Join(dir, train.CheckpointFile))
	if err != nil {
		t.Fatal(err)
	}
	if f.Meta.Iterations != 2 {
		t.Errorf("the checkpoint is of iteration %d; want 2, the last one before the divergence", f.Meta.Iterations)
	}
}

// hasty uses a learning rate that is far too high from the twentieth minibatch on.
type hasty struct {
	models.Learner
	fits int
}

func (h *hasty) Fit(ctx context.Context, rows []models.Shard, rate float64) (float64, error) {
	if h.fits++; h.fits >= 20 {
		rate = 1
	}
	return h.Learner.Fit(ctx, rows, rate)
}

// TestDivergenceFactor has values that diverge with finite gradients.
func TestDivergenceFactor(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	for _, test := range []struct {
		algorithm train.Algorithm
		hidden    []int
		want      string
		good      int64 // the last iteration at the configured rate
	}{
		{train.AlgorithmPPO, []int{128, 128}, "value loss", 2},
		{train.TurnExact, []int{256, 128, 64}, "KL divergence of the values", 19},
	} {
		t.Run(string(test.algorithm), func(t *testing.T) {
			cfg := brief(test.algorithm)
			cfg.Hidden, cfg.Steps, cfg.Checkpoints = test.hidden, 20_000, 20
			opt := train.Options{Game: g, Dir: t.TempDir()}
			opt.Learner = func(m *models.MLP, c models.AdamConfig) (models.Learner, error) {
				l, err := learner(m, c)
				return &hasty{Learner: l}, err
			}
			last := train.Metrics{}
			opt.Report = func(m train.Metrics) { last = m }
			_, err := train.Run(t.Context(), cfg, opt)
			if !errors.Is(err, models.ErrDiverged) || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), fmt.Sprintf("iteration %d:", last.Iteration+1)) {
				t.Errorf("got %v; want an error on the %s, of iteration %d, that wraps ErrDiverged", err, test.want, last.Iteration+1)
			}
			f, err := models.Load(filepath.Join(opt.Dir, train.CheckpointFile))
			if err != nil {
				t.Fatal(err)
			}
			if n := f.Meta.Iterations; n < 1 || n > test.good {
				t.Errorf("the checkpoint is of iteration %d; want one up to %d", n, test.good)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	cfg := train.DefaultConfig(train.AlgorithmPPO)
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	cfg.Rows, cfg.PPO.Lambda, cfg.Head, cfg.Adam.Beta1 = 0, math.NaN(), "tail", 2
	err := cfg.Validate()
	for _, field := range []string{"rows is 0", "lambda is NaN", "head is tail", "beta1"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%q is not in the error: %v", field, err)
		}
	}
}

func TestRangeJSON(t *testing.T) {
	var cfg train.Config
	if err := json.Unmarshal([]byte(`{"learning_rate": [0.5, 0.25]}`), &cfg); err != nil || cfg.LearningRate != (train.Schedule{0.5, 0.25}) {
		t.Errorf("got %v, %v", cfg.LearningRate, err)
	}
	for _, text := range []string{`{"learning_rate": [0.5]}`, `{"learning_rate": [1, 2, 3]}`, `{"learning_rate": 1}`, `{"learning_rate": ["a", 1]}`} {
		if err := json.Unmarshal([]byte(text), &cfg); err == nil || !strings.Contains(err.Error(), "want two numbers") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestLearning trains on small games and bounds the exploitability. That of
// untrained networks is about 0.3.
func TestLearning(t *testing.T) {
	fulltest.Gate(t)
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	for i, test := range []struct {
		algorithm    train.Algorithm
		game, config string
		head         models.Head
		limit        float64
	}{
		{train.AlgorithmPPO, "martian-dice", `{"dice": 6, "target": 8}`, models.Score, 0.05},
		{train.AlgorithmPPO, "martian-dice", `{"dice": 6, "target": 8}`, models.Logits, 0.05},
		{train.Search, "pig", `{"target": 20}`, models.Logits, 0.005},
		{train.AlgorithmPPO, "pig", `{"target": 20}`, models.Score, 0.02},
		{train.TurnExact, "martian-dice", `{"dice": 5, "target": 6}`, models.Logits, 0.06},
		{train.OneMove, "martian-dice", `{"dice": 5, "target": 6}`, models.Score, 0.06},
		{train.OneMove, "pig", `{"target": 20}`, models.Logits, 0.01},
		{train.TurnExact, "martian-dice", `{"dice": 5, "target": 6}`, models.Score, 0.06},
	} {
		t.Run(fmt.Sprint(test.algorithm, " ", test.game, " ", test.head), func(t *testing.T) {
			fulltest.Sample(t, i, 2)
			g := testgames.Open(t, test.game, 0, test.config)
			s, err := g.Solve(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			exact, err := eval.NewExactEvaluator(g, s)
			if err != nil {
				t.Fatal(err)
			}
			cfg := train.DefaultConfig(test.algorithm)
			cfg.Head, cfg.Hidden = test.head, []int{32, 32}
			if test.algorithm == train.AlgorithmPPO {
				cfg.Rows, cfg.PPO.Horizon, cfg.PPO.Minibatch = 128, 32, 512
				cfg.Steps = 100 * 128 * 32
			} else {
				cfg.LearningRate[0], cfg.Steps = 0.02, 40_000
			}
			cfg.Evaluations = 0
			mlp, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: t.TempDir(), Learner: learner})
			if err != nil {
				t.Fatal(err)
			}
			p, err := exact.Strength(t.Context(), &agents.Agent{Name: "network", Policy: agents.NewNet(g.Spec(), mlp, false)})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("exploitability %.5f", p.Exploitability)
			if !(p.Exploitability <= test.limit) {
				t.Errorf("exploitability %.5f; want at most %.3f", p.Exploitability, test.limit)
			}
		})
	}
}
