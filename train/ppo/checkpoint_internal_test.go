// In package ppo for a learner of which a test knows the state.
package ppo

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train/method"
)

// checkpointed has all that a checkpoint of PPO holds: several rollouts, openings, bots, copies
// that replace older ones, and a second epoch.
func checkpointed(t *testing.T, mlp *models.MLP) (*PPO, *counter) {
	t.Helper()
	g := testgames.Open(t, "pig", 3, `{"target": 20}`)
	if mlp == nil {
		mlp = network(t, g, models.Logits)
	}
	l, err := gorgonia.New(mlp, models.DefaultAdam())
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{Learner: l}
	cfg := Config{Horizon: 8, Minibatch: 64, Epochs: 2, Gamma: 1, Lambda: 0.85, ClipRange: 0.2, EntropyCoef: method.Schedule{0.1}}
	opt := Options{
		Seed: 1, Rows: 40, LearningRate: func(float64) float64 { return 0.01 }, ValueCoef: 1,
		Openings:  Openings{Decisions: 4, Fraction: 0.5},
		Opponents: method.Opponents{Fraction: 0.5, Bots: method.Bots{"random": 0.25}, Size: 2, Interval: 0.25, Power: 1},
	}
	r, err := New(cfg, opt, g, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.rollouts) < 2 {
		t.Fatalf("%d rollouts; want several", len(r.rollouts))
	}
	return r, c
}

// counter calls before with the number of each step, from 1.
type counter struct {
	models.Learner
	steps  int
	before func(step int)
}

func (c *counter) Fit(ctx context.Context, shards []models.Shard, rate float64) (float64, error) {
	c.steps++
	if c.before != nil {
		c.before(c.steps)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return c.Learner.Fit(ctx, shards, rate)
}

// iterations are the fractions of a run at which iterations begin, and between which a run is
// interrupted, or an iteration repeated.
var iterations = []float64{0, 0.3, 0.6, 0.9}

// same fails unless the state of a run, its weights and the metrics of an iteration are as expected.
func same(t *testing.T, what string, got, want *PPO, gotMetrics, wantMetrics method.Metrics) {
	t.Helper()
	if !slices.Equal(got.learner.MLP().Weights(), want.learner.MLP().Weights()) {
		t.Errorf("%s: other weights", what)
	}
	if !reflect.DeepEqual(gotMetrics, wantMetrics) {
		t.Errorf("%s: metrics %+v; want %+v", what, gotMetrics, wantMetrics)
	}
	blobs := [2]map[string][]byte{{}, {}}
	for k, r := range []*PPO{got, want} {
		if err := r.Save(blobs[k]); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(blobs[0], blobs[1]) {
		t.Errorf("%s: other checkpoints", what)
	}
}

// TestRestore goes on from a checkpoint after each iteration: the rest is that of the run.
func TestRestore(t *testing.T) {
	run, _ := checkpointed(t, nil)
	for _, x := range iterations {
		blobs := map[string][]byte{}
		if err := run.Save(blobs); err != nil {
			t.Fatal(err)
		}
		again, c := checkpointed(t, run.learner.MLP().Clone())
		if err := errors.Join(c.Restore(run.learner.State()), again.Restore(blobs)); err != nil {
			t.Fatal(err)
		}
		want, err := run.Iterate(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Iterate(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "restored", again, run, got, want)
		if want.Pool == nil || want.Pool.Opponents != len(run.pool.policies) {
			t.Errorf("the metrics of %d opponents are %+v", len(run.pool.policies), want.Pool)
		}
	}
	if run.pool.Taken != 3 || len(run.pool.mlp) != 2 {
		t.Errorf("%d copies, and %d left; want 3 and 2", run.pool.Taken, len(run.pool.mlp))
	}
}

// TestUndo interrupts each iteration in the second of its steps: then it can be repeated.
func TestUndo(t *testing.T) {
	run, _ := checkpointed(t, nil)
	again, c := checkpointed(t, nil)
	for _, x := range iterations {
		want, err := run.Iterate(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		c.steps = 0
		c.before = func(step int) {
			if step == 2 {
				cancel()
			}
		}
		if _, err := again.Iterate(ctx, x); !errors.Is(err, context.Canceled) {
			t.Fatalf("the interrupted iteration returns %v", err)
		}
		c.before = nil
		got, err := again.Iterate(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "repeated", again, run, got, want)
	}
	// Before the first step there is nothing to undo but the games.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := again.Iterate(ctx, 0.95); !errors.Is(err, context.Canceled) {
		t.Fatalf("an iteration after the interrupt returns %v", err)
	}
	same(t, "before the first step", again, run, method.Metrics{}, method.Metrics{})
}

// TestRestoreErrors leaves out, or damages, each part of a checkpoint.
func TestRestoreErrors(t *testing.T) {
	for _, test := range []struct{ blob, text, want string }{
		{"shuffle", "", "invalid PCG encoding"}, {method.PartBlob(1), "", "env: "}, {"pool", "", "opponent pool: the run has no opponents"},
		{"openings", "", "openings: unexpected end of JSON input"},
		{"openings", "[[]]", "openings: 1 parts; want 2"},
		{"openings", "[[], []]", "openings: 0 rows in part 0; want 20"},
		{"openings", "[" + rows("4") + ", " + rows("5") + "]", "openings: 5 random actions to come; want 0 to 4"},
		{"openings", "[" + rows("0") + ", " + rows("-1") + "]", "openings: -1 random actions to come; want 0 to 4"},
		{"openings", "[" + rows("0") + ", " + rows("4") + "]", ""},
	} {
		r, _ := checkpointed(t, nil)
		blobs := map[string][]byte{}
		if err := r.Save(blobs); err != nil {
			t.Fatal(err)
		}
		if blobs[test.blob] = []byte(test.text); test.text == "" {
			delete(blobs, test.blob)
		}
		err := r.Restore(blobs)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s %q: error %v; want %q", test.blob, test.text, err, test.want)
		}
	}
}

// rows is a list of 20 numbers as JSON.
func rows(n string) string { return "[" + strings.Repeat(n+", ", 19) + n + "]" }

// TestRestoreOther: a run without opponents neither saves nor accepts some.
func TestRestoreOther(t *testing.T) {
	r, _ := checkpointed(t, nil)
	blobs := map[string][]byte{}
	if err := r.Save(blobs); err != nil {
		t.Fatal(err)
	}
	r.pool.cfg.Fraction = 0
	if err := r.Restore(blobs); err == nil || !strings.Contains(err.Error(), "opponent pool: the run is that of a response to an agent") {
		t.Errorf("of opponents in a run without them the error is %v", err)
	}
	blobs = map[string][]byte{}
	if err := r.Save(blobs); err != nil || blobs["pool"] != nil {
		t.Errorf("without opponents the checkpoint has %d bytes of them, %v", len(blobs["pool"]), err)
	}
	if err := r.Restore(blobs); err != nil {
		t.Errorf("without opponents: %v", err)
	}
}

// TestRestorePoolCounts: each count of a checkpoint must fit the others, and the settings.
func TestRestorePoolCounts(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 10}`)
	mlp := network(t, g, models.Score)
	for _, test := range []struct {
		population, taken, won, games, met, rows int
		want                                     string
	}{
		{0, 1, 2, 2, 2, 1, ""}, {0, 0, 1, 1, 1, 1, ""}, {0, 9, 4, 4, 4, 1, ""}, {1, 1, 3, 3, 3, 1, ""},
		{0, 1, 1, 2, 2, 1, "counts of 1 and 2 opponents, a population of 0, and 1 parts; want 2, at most 1, and 1"},
		{0, 1, 2, 3, 2, 1, "counts of 2 and 3 opponents"}, {0, 1, 2, 2, 1, 1, "counts of 2 and 2 opponents"}, {0, 1, 2, 2, 2, 2, "and 2 parts"},
		{2, 1, 4, 4, 4, 1, "a population of 2"}, {-1, 1, 1, 1, 1, 1, "a population of -1"}, {0, -1, 0, 0, 0, 1, "counts of 0 and 0 opponents"},
	} {
		r := newRollout(g.NewBatch(2, 0), 0, models.Score, Config{Horizon: 1})
		r.batch.Reset(1)
		p := newTestPool(t, method.Opponents{Fraction: 1, Bots: method.Bots{"random": 0.5}, Population: 1, PopulationSteps: 0.1, Size: 3, Interval: 0.25}, g, r)
		state := poolState{
			Bots: []string{"random"}, Population: test.population, Taken: test.taken,
			Won: slices.Repeat([]float64{5}, test.won), Games: slices.Repeat([]float64{10}, test.games), Met: make([]tally, test.met),
			Rows: slices.Repeat([][][]uint16{{{0, 1}, {1, 0}}}, test.rows),
		}
		text, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		blobs := map[string][]byte{"pool": text}
		for k := range 4 {
			blobs[method.OpponentBlob(k)] = mlp.WeightBytes()
		}
		err = p.restore(blobs, mlp)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}
