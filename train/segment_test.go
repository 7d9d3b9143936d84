package train_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/jobs"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// exactly is an evaluation that any process finds alike.
func exactly(context.Context, env.Game) (func(context.Context, *models.MLP) (*models.Exact, error), error) {
	return func(_ context.Context, m *models.MLP) (*models.Exact, error) {
		return &models.Exact{Exploitability: float64(m.Weights()[0])}, nil
	}, nil
}

var errStop = errors.New("stop")

// segments computes segments from bytes to bytes.
func segments(compute jobs.Func) jobs.Executor {
	return jobs.Encoded{Kinds: map[string]jobs.Func{train.SegmentKind: compute}}
}

// TestRunBy compares a run with one whose segments are computed in folders of their own,
// and which is stopped in between.
func TestRunBy(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	spec := g.Spec()
	for _, a := range []train.Algorithm{train.AlgorithmPPO, train.OneMove} {
		cfg := short(a)
		cfg.Steps, cfg.Checkpoints, cfg.Evaluations = 3000, 5, 2
		whole, dir := t.TempDir(), t.TempDir()
		evaluate, _ := exactly(t.Context(), g)
		if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: whole, Learner: learner, Backend: train.DefaultBackend, Evaluate: evaluate}); err != nil {
			t.Fatal(err)
		}
		compute := train.Segment(train.SegmentOptions{Learner: learner, Evaluate: exactly})
		s := train.Settings{Game: spec.ID, GameConfig: []byte(spec.ConfigJSON()), Backend: train.DefaultBackend, Train: cfg}
		count := 0
		e := segments(func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
			if count++; count == 3 {
				return jobs.Result{}, errStop
			}
			return compute(ctx, args, inputs)
		})
		reports := 0
		opt := train.Options{Dir: dir, Report: func(m train.Metrics) { reports++ }}
		if err := train.RunBy(t.Context(), e, s, opt); !errors.Is(err, errStop) || reports != 2 {
			t.Fatalf("error %v after %d reports; want errStop after 2", err, reports)
		}
		if err := train.RunBy(t.Context(), e, s, opt); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, whole, agents.ModelFile), read(t, dir, agents.ModelFile)) || count < 5 {
			t.Errorf("%s: another model after %d jobs", a, count)
		}
		if !bytes.Equal(read(t, whole, agents.BestFile), read(t, dir, agents.BestFile)) {
			t.Errorf("%s: another best model", a)
		}
		same(t, dir, whole)
	}
}

// TestSegmentDiverges: a run that diverges before its first checkpoint ends.
func TestSegmentDiverges(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := short(train.AlgorithmPPO)
	cfg.ValueCoef = 1e30
	s := train.Settings{Game: g.Spec().ID, GameConfig: []byte(g.Spec().ConfigJSON()), Backend: train.DefaultBackend, Train: cfg}
	e := segments(train.Segment(train.SegmentOptions{Learner: learner}))
	if err := train.RunBy(t.Context(), e, s, train.Options{Dir: t.TempDir(), Report: func(train.Metrics) {}}); err != nil {
		t.Error(err)
	}
}

// TestSegmentRefuses damages the results of segments: the folder stays as it was.
func TestSegmentRefuses(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	spec := g.Spec()
	cfg := short(train.OneMove)
	cfg.Steps, cfg.Checkpoints = 600, 3
	s := train.Settings{Game: spec.ID, GameConfig: []byte(spec.ConfigJSON()), Backend: train.DefaultBackend, Train: cfg}
	compute := train.Segment(train.SegmentOptions{Learner: learner})
	const others = "the files are not those of the result"
	for name, test := range map[string]struct {
		alter func(*jobs.Result)
		want  string
	}{
		"no files":      {func(r *jobs.Result) { r.Times = nil }, "no length in the remaining 0 bytes"},
		"half of them":  {func(r *jobs.Result) { r.Times = r.Times[:len(r.Times)/2] }, "elements of 1 bytes in the remaining"},
		"a changed bit": {func(r *jobs.Result) { r.Times[len(r.Times)-100] ^= 1 }, others},
		"a loss": {func(r *jobs.Result) {
			r.Times = bytes.Replace(r.Times, []byte(`"value_loss":0.`), []byte(`"value_loss":1.`), 1)
		}, others},
		"no outcome": {func(r *jobs.Result) { r.Bytes = nil }, "unexpected end of JSON input"},
		"another state": {func(r *jobs.Result) { // its last digit
			last := &r.Bytes[len(r.Bytes)-3]
			*last = map[bool]byte{true: '1', false: '0'}[*last == '0']
		}, others},
	} {
		dir := t.TempDir()
		e := segments(func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
			r, err := compute(ctx, args, inputs)
			test.alter(&r)
			return r, err
		})
		if err := train.RunBy(t.Context(), e, s, train.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "the result of a segment: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", name, err, test.want)
		}
		if _, err := agents.LoadModel(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a model, or %v", name, err)
		}
	}
	s.Backend = "gotch"
	if err := train.RunBy(t.Context(), segments(compute), s, train.Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "backend gotch; workers have "+train.DefaultBackend) {
		t.Errorf("another backend: %v", err)
	}
}
