package train_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"testing"

	"marsgym/agents"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// TestMatches: where strength is not exact an evaluation meets the network of the evaluation before
// and the best so far, and the best is the latest that won more than its fair share against the best
// before. An interrupted run meets the same ones.
func TestMatches(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
	// The shares of the win against the best so far, by evaluation.
	shares := []float64{0, 0.5, 0.3, 0.2, 0.34, 0.1}
	type meeting struct {
		steps []uint64 // of the network, the one before and the best, 0 if it is not there
		games int
		seed  uint64
	}
	var ends [2][]byte
	var met [2][]meeting
	for k, interrupted := range []bool{false, true} {
		cfg := short(train.AlgorithmPPO)
		cfg.Steps, cfg.Evaluations, cfg.Checkpoints, cfg.KeepEvaluated = 64*32*24, len(shares), 7, true
		cfg.Rows, cfg.PPO.Horizon, cfg.PPO.Minibatch = 64, 32, 1024
		opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
		var now uint64
		opt.Report = func(m train.Metrics) { now = m.Steps }
		known := map[string]uint64{} // the steps of networks by their weights
		opt.Match = func(_ context.Context, network *models.MLP, others map[string]*models.MLP, games int, seed uint64) (map[string]train.Share, error) {
			n := len(known)
			if steps, again := known[string(network.WeightBytes())]; again {
				n = int(steps) - 1
			}
			known[string(network.WeightBytes())] = uint64(n + 1)
			m := meeting{[]uint64{uint64(n + 1), 0, 0}, games, seed}
			out := map[string]train.Share{"greedy": {Win: 0.25, Low: 0.2, High: 0.3, Games: games}}
			for i, name := range []string{"previous", "best"} {
				if x := others[name]; x != nil {
					m.steps[1+i] = known[string(x.WeightBytes())]
					out[name] = train.Share{Win: shares[n], Games: games}
				}
			}
			met[k] = append(met[k], m)
			return out, nil
		}
		for calls := int64(200); interrupted; calls += 200 {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(calls)
			_, err := train.Run(ctx, cfg, opt)
			opt.Resume = true
			if err == nil {
				break
			} else if !errors.Is(err, train.ErrInterrupted) {
				t.Fatal(err)
			}
		}
		if !interrupted {
			if _, err := train.Run(t.Context(), cfg, opt); err != nil {
				t.Fatal(err)
			}
		}
		ends[k] = read(t, opt.Dir, agents.BestFile)
		lines, err := train.ReadMetrics(opt.Dir)
		if err != nil {
			t.Fatal(err)
		}
		evaluated := 0
		for _, m := range lines {
			if m.Matches == nil {
				continue
			}
			evaluated++
			if m.Matches["greedy"].Win != 0.25 || m.Matches["greedy"].Games < 48 {
				t.Errorf("the matches are %+v", m.Matches)
			}
			f, err := agents.LoadModel(filepath.Join(opt.Dir, agents.StepFile(m.Steps)))
			if err != nil || f.Meta.Steps != int64(m.Steps) {
				t.Fatalf("the network after %d decisions: %v", m.Steps, err)
			}
			if !maps.Equal(f.Meta.Matches, m.Matches) {
				t.Errorf("the card of the network after %d decisions has the matches %v; want %v", m.Steps, f.Meta.Matches, m.Matches)
			}
		}
		if evaluated != len(shares) || now == 0 {
			t.Errorf("%d lines have matches; want %d", evaluated, len(shares))
		}
	}
	// The best are evaluations 1, 2 (0.5) and 5 (0.34, above a third).
	want := [][]uint64{{1, 0, 0}, {2, 1, 0}, {3, 2, 0}, {4, 3, 2}, {5, 4, 2}, {6, 5, 0}}
	last := uint64(0)
	for k := range met {
		n := 0
		for _, m := range met[k] {
			if m.steps[0] <= last && k == 1 && m.steps[0] == uint64(n) {
				continue // again, after an interruption
			}
			if n < len(want) && (m.steps[0] != want[n][0] || m.steps[1] != want[n][1] || m.steps[2] != want[n][2]) {
				t.Errorf("run %d: evaluation %d is of %v; want %v", k, n+1, m.steps, want[n])
			}
			if k == 1 && n < len(met[0]) && (m.games != met[0][n].games || m.seed != met[0][n].seed) {
				t.Errorf("evaluation %d has %d games with the seed %d; want %d with %d", n+1, m.games, m.seed, met[0][n].games, met[0][n].seed)
			}
			n++
			last = m.steps[0]
		}
		if n != len(want) {
			t.Errorf("run %d: %d evaluations; want %d", k, n, len(want))
		}
	}
	if !bytes.Equal(ends[0], ends[1]) {
		t.Error("an interrupted run keeps another network as its best")
	}
}
