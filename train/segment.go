package train

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/atomicfile"
	"marsgym/internal/dirlock"
	"marsgym/internal/input"
	"marsgym/internal/jobs"
	"marsgym/internal/tensorboard"
	"marsgym/models"
)

// SegmentKind is the kind of the jobs of [RunBy]: to continue a run to its next
// checkpoint.
const SegmentKind = "segment"

// segmentFiles are the files of a run folder that such a job reads and writes, in the order
// in which they are replaced: a run that stops in between goes on from the old checkpoint.
var segmentFiles = []string{MetricsFile, tensorboard.File, CheckpointFile, agents.ModelFile, agents.BestFile}

// maxSegmentFile is the largest size of such a file. Chosen: above that of models.
const maxSegmentFile = 1 << 28

// segment is what continuing a run to its next checkpoint has led to, the same wherever that is
// computed.
type segment struct {
	Done     bool        `json:"done"`               // the run has ended
	Diverged string      `json:"diverged,omitempty"` // why it cannot go on
	State    jobs.Digest `json:"state"`              // see stateDigest

	files [][]byte // with times, unless it has diverged
}

// errPaused is returned by a run that ends at a checkpoint because of Options.pause.
var errPaused = errors.New("paused")

// RunBy trains like [Run] with opt.Dir and opt.Report only, in segments from one checkpoint to
// the next, which the executor computes: each may be computed elsewhere. All evaluations of
// the settings are made. It returns nil also for a run that has diverged; [Run] then returns the error.
func RunBy(ctx context.Context, executor jobs.Executor, s Settings, opt Options) error {
	release, err := take(opt.Dir)
	if err != nil {
		return err
	}
	defer release()
	settings, err := s.blob()
	if err != nil {
		return err
	}
	for {
		files, err := packFiles(opt.Dir)
		if err != nil {
			return err
		}
		var x segment
		task := &jobs.Part[segment]{
			Name: "the result of a segment", Kind: SegmentKind, Args: struct{}{}, Inputs: []*jobs.Blob{settings, jobs.NewBlob(files)},
			Find: func(context.Context) (segment, error) {
				return segment{}, errors.New("train: a segment needs an executor with workers")
			},
			Decode: decodeSegment,
			Take:   func(found segment) { x = found },
		}
		if err := executor.Do(ctx, []jobs.Task{task}); err != nil || x.Diverged != "" {
			return err
		}
		if err := writeFiles(opt.Dir, x.files); err != nil {
			return err
		}
		if opt.Report != nil {
			m, err := lastMetrics(opt.Dir)
			if err != nil {
				return err
			}
			m.Done = min(1, float64(m.Steps)/float64(s.Train.Steps))
			opt.Report(m)
		}
		if x.Done {
			return nil
		}
	}
}

// decodeSegment returns a segment that another process has computed.
func decodeSegment(r jobs.Result) (x segment, err error) {
	if err := json.Unmarshal(r.Bytes, &x); err != nil || x.Diverged != "" {
		return x, err
	}
	if x.files, err = cutFiles(r.Times); err != nil {
		return x, err
	}
	state, err := stateDigest(x.files)
	if err == nil && state != x.State {
		err = errors.New("the files are not those of the result")
	}
	return x, err
}

// stateDigest is the digest of what files hold without times: of the metrics, of the models, and
// of the checkpoint without the state that has the seconds.
func stateDigest(files [][]byte) (jobs.Digest, error) {
	sum := sha256.New()
	for line := range bytes.Lines(files[0]) {
		var m Metrics
		if err := input.DecodeLoosely(line, &m); err != nil {
			return jobs.Digest{}, err
		}
		m.Seconds, m.StepsPerS = 0, 0
		if err := json.NewEncoder(sum).Encode(m); err != nil {
			return jobs.Digest{}, err
		}
	}
	f, err := models.Decode(files[2])
	if err != nil {
		return jobs.Digest{}, err
	}
	delete(f.Blobs, "run")
	b, err := f.Encode()
	if err != nil {
		return jobs.Digest{}, err
	}
	for _, model := range files[3:] { // the best is empty before the first evaluation
		digest := sha256.Sum256(model)
		sum.Write(digest[:])
	}
	sum.Write(b)
	return jobs.Digest(sum.Sum(nil)), nil
}

// packFiles returns the segment files of a folder as bytes; those that are not there are empty.
func packFiles(dir string) (all []byte, err error) {
	d, err := atomicfile.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, name := range segmentFiles {
		b, err := d.ReadFile(name, maxSegmentFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = jobs.AppendSlice(all, b)
	}
	return all, nil
}

// cutFiles reads what packFiles returned.
func cutFiles(b []byte) (files [][]byte, err error) {
	for range segmentFiles {
		var f []byte
		if f, b, err = jobs.CutSlice[byte](b); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(b) > 0 {
		err = fmt.Errorf("%d bytes follow the files", len(b))
	}
	return files, err
}

// writeFiles writes the files that are not empty to a folder.
func writeFiles(dir string, files [][]byte) error {
	for i, b := range files {
		if len(b) == 0 {
			continue
		}
		if err := atomicfile.WriteBytes(filepath.Join(dir, segmentFiles[i]), b); err != nil {
			return err
		}
	}
	return nil
}

// SegmentOptions are what a worker needs to compute segments.
type SegmentOptions struct {
	Learner func(*models.MLP, models.AdamConfig) (models.Learner, error) // of the default backend
	// Evaluate returns [Options].Evaluate for a game, nil if it has none.
	Evaluate func(context.Context, env.Game) (func(context.Context, *models.MLP) (*models.Exact, error), error)
}

// segmentFolder begins the names of the folders of segments, in that of temporary files.
const segmentFolder = "marsgym-segment-"

// removeLeft removes the folders that workers have left when they were killed: those that no
// process has locked, and that are not about to be used or read.
func removeLeft() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), segmentFolder+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Hour { // chosen
			continue
		}
		if release, err := dirlock.Lock(dir); err == nil {
			os.RemoveAll(dir)
			release()
		}
	}
}

// Segment returns the function of the jobs of kind [SegmentKind].
func Segment(opt SegmentOptions) jobs.Func {
	return func(ctx context.Context, _ []byte, inputs []*jobs.Blob) (r jobs.Result, err error) {
		if len(inputs) != 2 {
			return r, errors.New("a segment needs settings and files")
		}
		s, g, err := decodeSettings(inputs[0].Bytes)
		if err != nil {
			return r, err
		}
		if s.Backend != DefaultBackend {
			return r, fmt.Errorf("backend %s; workers have %s", s.Backend, DefaultBackend)
		}
		files, err := cutFiles(inputs[1].Bytes)
		if err != nil {
			return r, err
		}
		removeLeft()
		dir, err := os.MkdirTemp("", segmentFolder)
		if err != nil {
			return r, err
		}
		defer os.RemoveAll(dir)
		if err := writeFiles(dir, files); err != nil {
			return r, err
		}
		run := Options{Game: g, Dir: dir, Learner: opt.Learner, Backend: s.Backend, Resume: true, pause: true}
		if s.Train.Evaluations > 0 && opt.Evaluate != nil {
			if run.Evaluate, err = opt.Evaluate(ctx, g); err != nil {
				return r, err
			}
		}
		_, err = Run(ctx, s.Train, run)
		o := segment{Done: err == nil}
		switch {
		case errors.Is(err, models.ErrDiverged):
			o.Diverged = err.Error()
		case err != nil && !errors.Is(err, errPaused):
			return r, err
		default:
			if r.Times, err = packFiles(dir); err != nil {
				return r, err
			}
			if files, err = cutFiles(r.Times); err != nil {
				return r, err
			}
			if o.State, err = stateDigest(files); err != nil {
				return r, err
			}
		}
		r.Bytes, err = json.Marshal(o)
		return r, err
	}
}

// lastMetrics returns the last metrics of a run.
func lastMetrics(dir string) (m Metrics, err error) {
	b, err := input.ReadFile(filepath.Join(dir, MetricsFile), maxSegmentFile)
	if err != nil {
		return m, err
	}
	for line := range bytes.Lines(b) {
		b = line
	}
	return m, json.Unmarshal(b, &m)
}
