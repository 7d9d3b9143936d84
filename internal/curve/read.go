package curve

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"marsgym/internal/input"
)

// Fields of the charts. All releases have written them under these names. A run
// whose game is not solved lacks the exact ones, and each line may lack any but the
// steps.
const (
	steps          = "steps"   // decisions so far
	seconds        = "seconds" // of training so far, without evaluation
	exploitability = "exact.exploitability"
	winFirst       = "exact.win_first"
	winSecond      = "exact.win_second"
)

// Run is the metrics of a training run.
type Run struct {
	Name   string
	Points []Point // in order
}

// Point is a line of metrics: its numbers by field, such as "exact.win_first" for one
// in an object.
type Point map[string]float64

// Bounds of metrics. Chosen: a line has some four hundred bytes, and the longest run
// 150,000 lines.
const (
	maxBytes = 1 << 28 // of the file
	maxLine  = 1 << 14 // bytes of a line
	maxLines = 1 << 20
)

// Load reads the metrics of a run, a JSON object on each line. It ignores what is
// not a number.
func Load(name, path string) (Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return Run{}, err
	}
	defer f.Close()
	return LoadFrom(name, f)
}

// LoadFrom is [Load] for an open file.
func LoadFrom(name string, f *os.File) (Run, error) {
	data, err := input.Read(f, maxBytes)
	if err != nil {
		return Run{}, err
	}
	path := f.Name()
	if n := bytes.Count(data, []byte("\n")); n > maxLines {
		return Run{}, fmt.Errorf("%s: %w; it has %d lines, and at most %d are read", path, input.ErrTooLarge, n, maxLines)
	}
	r := Run{Name: name}
	for line := range bytes.Lines(data) {
		p, err := parse(line)
		if n := len(r.Points); err == nil && n > 0 && p[steps] < r.Points[n-1][steps] {
			err = fmt.Errorf("%.0f steps after %.0f", p[steps], r.Points[n-1][steps])
		}
		if err != nil {
			return Run{}, fmt.Errorf("%s: line %d: %w; mend the line or remove it", path, len(r.Points)+1, err)
		}
		r.Points = append(r.Points, p)
	}
	return r, nil
}

// parse reads a line of metrics.
func parse(line []byte) (Point, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("it has %d bytes; want at most %d", len(line), maxLine)
	}
	var object map[string]any
	if err := input.DecodeLoosely(line, &object); err != nil {
		return nil, err
	}
	p := Point{}
	p.add("", object)
	if _, ok := p[steps]; !ok {
		return nil, errors.New("no steps")
	}
	return p, nil
}

// add adds the numbers of an object.
func (p Point) add(prefix string, object map[string]any) {
	for name, v := range object {
		switch v := v.(type) {
		case float64:
			p[prefix+name] = v
		case map[string]any:
			p.add(prefix+name+".", v)
		}
	}
}
