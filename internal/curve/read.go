package curve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
)

// Fields of the charts. All releases have written them under these names. A run
// whose game is not solved lacks the exact ones, and each line may lack any but the
// steps.
const (
	steps          = "steps"   // decisions so far
	seconds        = "seconds" // of training so far, without evaluation
	exact          = "exact."  // begins the exact ones
	exploitability = exact + "exploitability"
	winFirst       = exact + "win_first"
	winSecond      = exact + "win_second"
	matches        = "matches." // begins those of matches, such as matches.greedy.win
)

// Run is the metrics of a training run.
type Run struct {
	Name   string
	Points []Point // in order
}

// Point is what charts show of a line of metrics: its numbers by field, such as
// "exact.win_first" for one in an object.
type Point map[string]float64

// Strength returns the win probability against optimal play, the mean of moving first and second,
// and the exploitability, if the line has an exact evaluation.
func (p Point) Strength() (win, exploited float64, ok bool) {
	first, ok1 := p[winFirst]
	second, ok2 := p[winSecond]
	exploited, ok = p[exploitability]
	return (first + second) / 2, exploited, ok && ok1 && ok2
}

// charted reports whether a field is in a chart.
func charted(field string) bool {
	return field == steps || field == seconds || strings.HasPrefix(field, exact) || strings.HasPrefix(field, matches) || ofTraining(field)
}

// ofTraining reports whether a field is in the charts of a run without exact values.
func ofTraining(field string) bool {
	return field == "return" || field == "entropy" || strings.HasSuffix(field, "loss")
}

// Bounds of metrics. Chosen: a line has some four hundred bytes and five numbers of charts,
// and the longest run 150,000 lines.
const (
	maxBytes   = 1 << 28 // of the file
	maxLine    = 1 << 14 // bytes of a line
	maxNumbers = 1 << 21 // of charts; each takes some 50 bytes of memory
)

// Load reads the metrics of a run, a JSON object on each line. It ignores what is
// not in a chart.
func Load(name, path string) (Run, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return Run{}, err
	}
	defer f.Close()
	return LoadFrom(name, path, f)
}

// LoadFrom is [Load] for an open file. Path is its name in errors.
func LoadFrom(name, path string, in io.Reader) (Run, error) {
	rest := &io.LimitedReader{R: in, N: maxBytes + 1}
	lines := bufio.NewScanner(rest)
	lines.Buffer(nil, maxLine+1)
	r := Run{Name: name}
	fields := map[string]string{} // each name is in memory once
	numbers := 0
	for lines.Scan() {
		p, err := parse(lines.Bytes(), fields)
		if n := len(r.Points); err == nil && n > 0 && p[steps] < r.Points[n-1][steps] {
			err = fmt.Errorf("%.0f steps after %.0f", p[steps], r.Points[n-1][steps])
		}
		if err != nil {
			return Run{}, fmt.Errorf("%s: line %d: %w; mend the line or remove it", path, len(r.Points)+1, err)
		}
		r.Points = append(r.Points, p)
		if numbers += len(p); numbers > maxNumbers {
			return Run{}, fmt.Errorf("%s: %w; at most %d numbers for charts are read; chart a copy with fewer lines", path, input.ErrTooLarge, maxNumbers)
		}
	}
	switch err := lines.Err(); {
	case err == bufio.ErrTooLong:
		return Run{}, fmt.Errorf("%s: line %d: it has more than %d bytes; mend the line or remove it", path, len(r.Points)+1, maxLine)
	case err != nil:
		return Run{}, err
	case rest.N == 0:
		return Run{}, fmt.Errorf("%s: %w; want at most %d bytes", path, input.ErrTooLarge, maxBytes)
	}
	return r, nil
}

func parse(line []byte, fields map[string]string) (Point, error) {
	var object map[string]any
	if err := input.DecodeLoosely(line, &object); err != nil {
		return nil, err
	}
	p := Point{}
	p.add("", object, fields)
	if _, ok := p[steps]; !ok {
		return nil, errors.New("no steps")
	}
	return p, nil
}

// add adds the numbers of an object that are in charts.
func (p Point) add(prefix string, object map[string]any, fields map[string]string) {
	for name, v := range object {
		switch v := v.(type) {
		case float64:
			if name = prefix + name; charted(name) {
				if _, ok := fields[name]; !ok {
					fields[name] = name
				}
				p[fields[name]] = v
			}
		case map[string]any:
			p.add(prefix+name+".", v, fields)
		}
	}
}
