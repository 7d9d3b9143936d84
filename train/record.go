package train

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"marsgym/internal/atomicfile"
	"marsgym/internal/tensorboard"
)

// scalars returns metrics for TensorBoard.
func scalars(m Metrics, a Algorithm) []tensorboard.Scalar {
	list := []tensorboard.Scalar{
		{Tag: "loss/policy", Value: m.Policy},
		{Tag: "loss/value", Value: m.Value},
		{Tag: "policy/entropy", Value: m.Entropy},
		{Tag: "train/grad_norm", Value: m.GradNorm},
		{Tag: "train/learning_rate", Value: m.LearningRate},
		{Tag: "train/steps_per_s", Value: m.StepsPerS},
	}
	if a == AlgorithmPPO {
		list = append(list,
			tensorboard.Scalar{Tag: "policy/kl", Value: m.KL},
			tensorboard.Scalar{Tag: "policy/clipped", Value: m.Clipped})
	}
	if p := m.Pool; p != nil {
		list = append(list,
			tensorboard.Scalar{Tag: "pool/win", Value: p.Win},
			tensorboard.Scalar{Tag: "pool/min_win", Value: p.MinWin})
		for _, name := range slices.Sorted(maps.Keys(p.Bots)) {
			list = append(list, tensorboard.Scalar{Tag: "pool/bots/" + name, Value: p.Bots[name]})
		}
	}
	if x := m.Exact; x != nil {
		list = append(list,
			tensorboard.Scalar{Tag: "exact/win", Value: x.Win()},
			tensorboard.Scalar{Tag: "exact/win_first", Value: x.WinFirst},
			tensorboard.Scalar{Tag: "exact/win_second", Value: x.WinSecond},
			tensorboard.Scalar{Tag: "exact/exploitability", Value: x.Exploitability})
	}
	return list
}

// record writes the metrics of a run twice: as lines of JSON and as events for
// TensorBoard.
type record struct {
	lines  *os.File
	events *tensorboard.Writer
	sizes
}

// sizes are the bytes of both files when a checkpoint was written.
type sizes struct {
	Lines  int64 `json:"metrics_bytes"`
	Events int64 `json:"events_bytes"`
}

// openRecord opens the files, which must not exist, or, to resume, truncates them
// to the sizes in a checkpoint.
func openRecord(dir *atomicfile.Dir, resume bool, at sizes) (*record, error) {
	if resume {
		for name, size := range map[string]int64{MetricsFile: at.Lines, tensorboard.File: at.Events} {
			if size > 0 {
				continue
			}
			if err := dir.Remove(name); err != nil { // it is created again
				return nil, err
			}
		}
	}
	f, err := dir.Append(MetricsFile, at.Lines)
	if err != nil {
		return nil, err
	}
	e, err := dir.Append(tensorboard.File, at.Events)
	if err != nil {
		f.Close()
		return nil, err
	}
	r := &record{lines: f, sizes: at}
	if r.events, err = tensorboard.New(e, at.Events); err != nil {
		f.Close()
		e.Close()
		return nil, err
	}
	return r, nil
}

// add appends the metrics of an iteration.
func (r *record) add(m Metrics, a Algorithm) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	n, err := r.lines.Write(append(line, '\n'))
	r.Lines += int64(n)
	if err == nil {
		err = r.events.Scalars(int64(m.Steps), time.Now(), scalars(m, a))
	}
	r.Events = r.events.Size()
	return err
}

// sync makes what was written durable.
func (r *record) sync() error { return errors.Join(r.lines.Sync(), r.events.Sync()) }

func (r *record) close() error { return errors.Join(r.lines.Close(), r.events.Close()) }
