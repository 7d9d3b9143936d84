package train_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"marsgym/internal/jobs"
	"marsgym/internal/test/testgames"
	"marsgym/train"
)

// twoSegments are the settings of a run of two segments, its jobs and their results.
func twoSegments(f *testing.F) (train.Settings, []jobs.Job, []jobs.Result, jobs.Func) {
	g := testgames.Open(f, "pig", 0, `{"target": 10}`)
	cfg := tiny(train.OneMove)
	cfg.Checkpoints = 2
	s := train.Settings{Game: g.Spec().ID, GameConfig: []byte(g.Spec().ConfigJSON()), Backend: train.DefaultBackend, Train: cfg}
	compute := train.Segment(train.SegmentOptions{Learner: learner})
	var sent []jobs.Job
	var results []jobs.Result
	e := segments(func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		r, err := compute(ctx, args, inputs)
		sent, results = append(sent, jobs.Job{Args: args, Inputs: inputs}), append(results, r)
		return r, err
	})
	if err := train.RunBy(f.Context(), e, s, train.Options{Dir: f.TempDir()}); err != nil {
		f.Fatal(err)
	}
	if len(sent) < 2 {
		f.Fatalf("the run has %d segments", len(sent))
	}
	return s, sent, results, compute
}

// FuzzSegment computes segments of foreign jobs. One that has a result can be continued from
// the files of that result.
func FuzzSegment(f *testing.F) {
	s, sent, results, compute := twoSegments(f)
	for _, job := range sent {
		f.Add(job.Inputs[1].Bytes)
	}
	f.Add(results[0].Times)
	f.Add([]byte{})
	settings, dir := sent[0].Inputs[0], f.TempDir()
	f.Fuzz(func(t *testing.T, files []byte) {
		r, err := compute(t.Context(), []byte("{}"), []*jobs.Blob{settings, jobs.NewBlob(files)})
		if err != nil {
			return
		}
		if err := train.RunBy(t.Context(), &once{result: r}, s, train.Options{Dir: dir}); err != nil && !errors.Is(err, errStop) {
			t.Errorf("the result of a segment is refused: %v", err)
		}
	})
}

// once gives its result to the first task, and then stops.
type once struct {
	result jobs.Result
	given  bool
}

func (o *once) Do(_ context.Context, tasks []jobs.Task) error {
	if o.given {
		return errStop
	}
	o.given = true
	return tasks[0].Receive(o.result)
}

// FuzzSegmentResult receives foreign results. One that is refused changes no file.
func FuzzSegmentResult(f *testing.F) {
	s, _, results, _ := twoSegments(f)
	for _, r := range results {
		f.Add(r.Bytes, r.Times)
	}
	f.Add([]byte(`{"done":false,"diverged":"the loss is NaN"}`), []byte{})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, result, files []byte) {
		before := folder(t, dir)
		err := train.RunBy(t.Context(), &once{result: jobs.Result{Bytes: result, Times: files}}, s, train.Options{Dir: dir})
		if err == nil || errors.Is(err, errStop) {
			return // accepted
		}
		if after := folder(t, dir); !maps.EqualFunc(before, after, bytes.Equal) {
			t.Errorf("error %v, but the files are changed: %q", err, slices.Sorted(maps.Keys(after)))
		}
	})
}

// folder returns the files of a folder.
func folder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		found[e.Name()] = b
	}
	return found
}
