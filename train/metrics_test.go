package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"marsgym/internal/tensorboard"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// TestMetricsAbsent: a line of metrics has a key if, and only if, the iteration computed the figure,
// and TensorBoard has as many events of it.
func TestMetricsAbsent(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	tags := map[string]string{
		"policy_loss": "loss/policy", "value_loss": "loss/value", "entropy": "policy/entropy", "kl": "policy/kl",
		"clipped": "policy/clipped", "grad_norm": "train/grad_norm", "learning_rate": "train/learning_rate",
	}
	all := slices.Sorted(maps.Keys(tags))
	for _, test := range []struct {
		algorithm train.Algorithm
		first     []string // the keys that the first iteration lacks
		last      []string
	}{
		{train.AlgorithmPPO, nil, nil},
		{train.OneMove, []string{"clipped", "entropy", "kl", "policy_loss"}, []string{"clipped", "kl"}}, // the policy is not trained at first
		{train.TurnExact, []string{"clipped", "entropy", "kl", "policy_loss"}, []string{"clipped", "kl"}},
		{train.Search, []string{"clipped", "entropy", "kl", "policy_loss"}, []string{"clipped", "kl"}},
	} {
		cfg, err := train.DefaultForAlgorithm(g, test.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		cfg = shortened(cfg)
		cfg.Hidden, cfg.Steps = []int{16}, 2000
		cfg.Expert.ValueWarmup = 0.25
		opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
		if _, err := train.Run(t.Context(), cfg, opt); err != nil {
			t.Fatal(err)
		}
		events, err := os.ReadFile(filepath.Join(opt.Dir, tensorboard.File))
		if err != nil {
			t.Fatal(err)
		}
		lines := metricsOf(t, opt.Dir)
		for key, tag := range tags {
			n := 0
			for _, m := range lines {
				if m[key] != nil {
					n++
				}
			}
			if got := bytes.Count(events, []byte(tag)); got != n {
				t.Errorf("%s: %d events have %s, and %d lines %s", test.algorithm, got, tag, n, key)
			}
		}
		for at, want := range map[int][]string{0: test.first, len(lines) - 1: test.last} {
			lacks := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return lines[at][key] != nil })
			if !slices.Equal(lacks, want) {
				t.Errorf("%s: line %d of %d lacks %q; want %q", test.algorithm, at+1, len(lines), lacks, want)
			}
		}
	}
}

// TestMetricsLines: a line of metrics has the means over the iterations since the line before, each
// weighted by what it is a mean of, and the counts of the last one.
func TestMetricsLines(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	for _, test := range []struct {
		every, evaluations int
		lines              func(iterations int) int
	}{
		{0, 0, func(int) int { return 1000 }},
		{1, 0, func(n int) int { return n }},
		{7, 0, func(n int) int { return (n + 6) / 7 }},
		{100_000, 3, func(int) int { return 3 }},
	} {
		cfg := shortened(train.DefaultConfig(train.TurnExact))
		cfg.Hidden, cfg.Rows, cfg.MetricsEvery, cfg.Evaluations = []int{8}, 1, test.every, test.evaluations
		cfg.Steps = 30_000
		var (
			iterations uint64
			wants      []train.Losses // [iterations]
		)
		opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
		opt.Evaluate = func(context.Context, *models.MLP) (*models.Exact, error) { return &models.Exact{WinFirst: 0.25}, nil }
		opt.Report = func(m train.Metrics) { wants = append(wants, m.Losses) }
		if _, err := train.Run(t.Context(), cfg, opt); err != nil {
			t.Fatal(err)
		}
		lines := metricsOf(t, opt.Dir)
		if want := test.lines(len(wants)); len(wants) < 1200 || len(lines) != want {
			t.Errorf("a line for every %d iterations: %d lines of %d iterations; want %d, of at least 1200", test.every, len(lines), len(wants), want)
		}
		for _, line := range lines {
			var want train.Losses
			for last := uint64(line["iteration"].(float64)); iterations < last; iterations++ {
				want.Join(wants[iterations])
			}
			for key, mean := range map[string]train.Mean{"policy_loss": want.Policy, "value_loss": want.Value, "entropy": want.Entropy, "grad_norm": want.GradNorm} {
				got, ok := line[key].(float64)
				if ok == mean.IsZero() || ok && !(math.Abs(got-mean.Value()) <= 1e-12) {
					t.Fatalf("a line for every %d iterations: %s is %v in iteration %d; want %v", test.every, key, line[key], iterations, mean.Value())
				}
			}
		}
		if int(iterations) != len(wants) {
			t.Errorf("the last line is of iteration %d of %d", iterations, len(wants))
		}
	}
}

// TestPoolShares: the shares of games against opponents are of games that were played. Before the
// first one there are none, and the first is won, lost or shared.
func TestPoolShares(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	cfg := shortened(train.DefaultConfig(train.AlgorithmPPO))
	cfg.Rows, cfg.PPO.Horizon, cfg.PPO.Minibatch, cfg.Steps = 2, 4, 8, 2000
	cfg.Opponents = train.Opponents{Fraction: 0.5, Bots: train.Bots{"greedy": 1}, Size: 1, Interval: 1}
	opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	lines := metricsOf(t, opt.Dir)
	pool := func(at int) map[string]any { return lines[at]["pool"].(map[string]any) }
	if first := pool(0); first["opponents"] != 1.0 || len(first) != 1 {
		t.Errorf("no game has ended, and the metrics of the pool are %v; want only the number of opponents", first)
	}
	at := slices.IndexFunc(lines, func(m map[string]any) bool { return m["pool"].(map[string]any)["win"] != nil })
	if at < 0 {
		t.Fatal("no game has ended")
	}
	share := pool(at)["win"].(float64)
	if share != 0 && share != 0.5 && share != 1 || pool(at)["min_win"] != share || pool(at)["bots"].(map[string]any)["greedy"] != share {
		t.Errorf("after one game the metrics of the pool are %v", pool(at))
	}
	if last := pool(len(lines) - 1)["win"].(float64); !(last >= 0 && last < 0.5) {
		t.Errorf("a new network wins %v against greedy", last)
	}
	for _, m := range lines { // nothing is written that is no number
		if x, ok := m["grad_norm"].(float64); !ok || !(x >= 0 && !math.IsInf(x, 0)) {
			t.Errorf("a gradient of norm %v", m["grad_norm"])
		}
	}
}

// TestFailedEvaluations: an evaluation that has failed is not counted.
func TestFailedEvaluations(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	cfg := shortened(train.DefaultConfig(train.AlgorithmPPO))
	cfg.Rows, cfg.PPO.Horizon, cfg.PPO.Minibatch, cfg.Steps, cfg.Evaluations = 4, 4, 16, 64, 4
	calls, last := 0, train.Metrics{}
	opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner, Report: func(m train.Metrics) { last = m }}
	opt.Evaluate = func(context.Context, *models.MLP) (*models.Exact, error) {
		if calls++; calls == 2 {
			return nil, nil
		}
		return &models.Exact{WinFirst: 0.25}, nil
	}
	if _, err := train.Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	if calls != 4 || last.Evaluations != 3 {
		t.Errorf("%d evaluations of %d; want 3 of 4", last.Evaluations, calls)
	}
}

// metricsOf returns the lines of metrics of a run.
func metricsOf(t *testing.T, dir string) (lines []map[string]any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, train.MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	return lines
}
