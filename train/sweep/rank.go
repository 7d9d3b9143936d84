package sweep

import (
	"cmp"
	"math"
	"slices"

	"marsgym/train"
)

// Trial is a run of a sweep that has ended.
type Trial struct {
	Variant  int // index into Plan.Variants
	Dir      string
	Diverged error // wraps models.ErrDiverged; nil if it did not diverge

	Strengths      []Strength // in order of time
	Seconds, Speed float64    // of training, decisions per second on average over the run
}

// Strength is an exact evaluation during a run.
type Strength struct{ Seconds, Exploitability float64 }

// load reads the metrics of the run.
func (t *Trial) load() error {
	lines, err := train.ReadMetrics(t.Dir)
	for _, m := range lines {
		if m.Exact != nil {
			t.Strengths = append(t.Strengths, Strength{m.Seconds, m.Exact.Exploitability})
		}
		if t.Seconds = m.Seconds; m.Seconds > 0 { // the clock has advanced
			t.Speed = float64(m.Steps) / m.Seconds
		}
	}
	return err
}

// at returns the latest exploitability known by a time, infinity before the first
// and after a divergence.
func (t *Trial) at(seconds float64) float64 {
	x := math.Inf(1)
	for _, s := range t.Strengths {
		if s.Seconds <= seconds && t.Diverged == nil {
			x = s.Exploitability
		}
	}
	return x
}

// Result is the mean of the trials of a variant. Exploitability is infinite where
// there is none, as after a divergence.
type Result struct {
	Variant, Trials int
	Equal           float64 // exploitability at the latest evaluation within equal time
	Worst           float64 // the largest of Equal's trials
	End             float64 // exploitability at the end of the runs
	Seconds, Speed  float64 // of training, decisions per second
}

// Rank orders variants by exploitability after equal time, the least first. The
// time is the longest for which all trials have trained that did not diverge; it is
// infinite if all did.
func Rank(trials []Trial) (list []Result, seconds float64) {
	seconds = math.Inf(1)
	for _, t := range trials {
		if t.Diverged == nil {
			seconds = min(seconds, t.Seconds)
		}
	}
	of := map[int]*Result{}
	for _, t := range trials {
		r := of[t.Variant]
		if r == nil {
			r = &Result{Variant: t.Variant}
			of[t.Variant] = r
		}
		r.Trials++
		r.Equal += t.at(seconds)
		r.Worst = max(r.Worst, t.at(seconds))
		r.End += t.at(math.Inf(1))
		r.Seconds += t.Seconds
		r.Speed += t.Speed
	}
	for _, r := range of {
		n := float64(r.Trials)
		r.Equal, r.End, r.Seconds, r.Speed = r.Equal/n, r.End/n, r.Seconds/n, r.Speed/n
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Equal, b.Equal), cmp.Compare(a.End, b.End), cmp.Compare(a.Variant, b.Variant))
	})
	return list, seconds
}
