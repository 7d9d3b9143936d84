package train

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
	"marsgym/internal/tensorboard"
)

// scalars returns metrics for TensorBoard.
func scalars(m Metrics) []tensorboard.Scalar {
	var list []tensorboard.Scalar
	add := func(tag string, value float64) { list = append(list, tensorboard.Scalar{Tag: tag, Value: value}) }
	mean := func(tag string, m Mean) {
		if !m.IsZero() {
			add(tag, m.Value())
		}
	}
	mean("loss/policy", m.Policy)
	mean("loss/value", m.Value)
	mean("policy/entropy", m.Entropy)
	mean("policy/kl", m.KL)
	mean("policy/clipped", m.Clipped)
	mean("train/grad_norm", m.GradNorm)
	add("train/learning_rate", m.LearningRate)
	if m.StepsPerS > 0 {
		add("train/steps_per_s", m.StepsPerS)
	}
	if p := m.Pool; p != nil {
		mean("pool/win", p.Win)
		mean("pool/min_win", p.MinWin)
		for _, name := range slices.Sorted(maps.Keys(p.Bots)) {
			mean("pool/bots/"+name, p.Bots[name])
		}
	}
	if x := m.Exact; x != nil {
		add("exact/win", x.Win())
		add("exact/win_first", x.WinFirst)
		add("exact/win_second", x.WinSecond)
		add("exact/exploitability", x.Exploitability)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Matches)) {
		add("match/"+name, m.Matches[name].Win)
	}
	return list
}

// metricsLines is about the number of lines of the metrics of a run, unless its config says
// otherwise. Chosen: both files together have less than 2 MB.
const metricsLines = 1000

// stretch is the iterations since the last line of metrics, whose means are the next line.
type stretch struct {
	Steps   uint64  `json:"steps"`   // before it
	Seconds float64 `json:"seconds"` // before it
	Sums    []sum   `json:"sums"`    // of each of [Losses.Means]
}

// sum is a [Mean] whose JSON has both numbers.
type sum struct {
	Sum float64 `json:"sum"`
	N   float64 `json:"n"`
}

// add adds an iteration.
func (s *stretch) add(l Losses) {
	means := l.Means()
	if s.Sums == nil {
		s.Sums = make([]sum, len(means))
	}
	for i, m := range means {
		s.Sums[i].Sum += m.Sum
		s.Sums[i].N += m.N
	}
}

// line returns the metrics m of the last iteration with the means of the stretch, and begins the
// next one.
func (s *stretch) line(m Metrics) Metrics {
	for i, mean := range m.Means() {
		*mean = Mean(s.Sums[i])
	}
	m.StepsPerS = pace(m.Steps-s.Steps, m.Seconds-s.Seconds)
	*s = stretch{Steps: m.Steps, Seconds: m.Seconds}
	return m
}

// ReadMetrics reads the lines of the metrics of a run.
func ReadMetrics(dir string) ([]Metrics, error) {
	path := filepath.Join(dir, MetricsFile)
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Metrics
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var m Metrics
		if err := input.DecodeLoosely(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(all)+1, err)
		}
		all = append(all, m)
	}
	return all, lines.Err()
}

// record writes the metrics of a run twice: as lines of JSON and as events for
// TensorBoard. A line is written while the next iteration runs.
type record struct {
	lines  *os.File
	events *tensorboard.Writer
	sizes
	writing chan error // receives the result of the last add; nil if all is written
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

// add begins to append a line of metrics. It returns the error of the one before.
func (r *record) add(m Metrics) error {
	if err := r.wait(); err != nil {
		return err
	}
	now := time.Now()
	r.writing = make(chan error, 1)
	go func() { r.writing <- r.append(m, now) }()
	return nil
}

// wait returns when everything is written.
func (r *record) wait() (err error) {
	if r.writing != nil {
		err, r.writing = <-r.writing, nil
	}
	return err
}

func (r *record) append(m Metrics, at time.Time) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	n, err := r.lines.Write(append(line, '\n'))
	r.Lines += int64(n)
	if err == nil {
		err = r.events.Scalars(int64(m.Steps), at, scalars(m))
	}
	r.Events = r.events.Size()
	return err
}

// sync makes what was written durable.
func (r *record) sync() error { return errors.Join(r.wait(), r.lines.Sync(), r.events.Sync()) }

func (r *record) close() error { return errors.Join(r.wait(), r.lines.Close(), r.events.Close()) }
