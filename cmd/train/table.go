package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"marsgym/internal/curve"
	"marsgym/train"
)

// trial is a run of a sweep that has ended.
type trial struct {
	variant  int
	dir      string
	diverged bool

	strengths      []strengthAt
	seconds, speed float64
}

// strengthAt is an exact evaluation.
type strengthAt struct{ seconds, exploitability float64 }

// read takes in what the run has recorded.
func (t *trial) read() error {
	r, err := curve.Load(t.dir, filepath.Join(t.dir, train.MetricsFile))
	if err != nil {
		return err
	}
	for _, p := range r.Points {
		if x, ok := p["exact.exploitability"]; ok {
			t.strengths = append(t.strengths, strengthAt{p["seconds"], x})
		}
		t.seconds, t.speed = p["seconds"], p["steps"]/p["seconds"]
	}
	return nil
}

// at is the latest exploitability known by a time, infinite before the first and
// of what has diverged.
func (t *trial) at(seconds float64) float64 {
	x := math.Inf(1)
	for _, s := range t.strengths {
		if s.seconds <= seconds && !t.diverged {
			x = s.exploitability
		}
	}
	return x
}

// row is what the trials of a variant come to: means, and the worst.
type row struct {
	variant, trials   int
	equal, worst, end float64 // exploitability
	seconds, speed    float64
}

// rows orders variants by exploitability at the longest time that all trials
// have trained for, those that diverged left out.
func rows(trials []trial) (list []row, equal float64) {
	equal = math.Inf(1)
	for _, t := range trials {
		if !t.diverged {
			equal = min(equal, t.seconds)
		}
	}
	of := map[int]*row{}
	for _, t := range trials {
		r := of[t.variant]
		if r == nil {
			r = &row{variant: t.variant}
			of[t.variant] = r
		}
		r.trials++
		r.equal += t.at(equal)
		r.worst = max(r.worst, t.at(equal))
		r.end += t.at(math.Inf(1))
		r.seconds += t.seconds
		r.speed += t.speed
	}
	for _, r := range of {
		n := float64(r.trials)
		r.equal, r.end, r.seconds, r.speed = r.equal/n, r.end/n, r.seconds/n, r.speed/n
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.equal, b.equal), cmp.Compare(a.end, b.end), cmp.Compare(a.variant, b.variant))
	})
	return list, equal
}

// table prints the variants in order of strength.
func (p *plan) table(w io.Writer, trials []trial) error {
	list, equal := rows(trials)
	seeds := len(p.variants[0].runs) > 1
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	print := func(cells []string) { fmt.Fprintln(tw, strings.Join(cells, "\t")+"\t") }
	head := []string{"run"}
	for _, f := range p.fields {
		head = append(head, short(f))
	}
	if math.IsInf(equal, 1) {
		fmt.Fprintf(w, "all have diverged:\n\n")
		head = append(head, "exploitability")
	} else {
		fmt.Fprintf(w, "by exploitability at %.1f s of training, the most that all have reached:\n\n", equal)
		head = append(head, fmt.Sprintf("at %.1f s", equal))
	}
	if seeds {
		head = append(head, "worst seed", "seeds")
	}
	print(append(head, "at the end", "seconds", "steps/s"))
	for _, r := range list {
		line := []string{fmt.Sprintf("%02d", r.variant+1)}
		for _, f := range p.fields {
			line = append(line, p.value(r.variant, f))
		}
		line = append(line, number(r.equal))
		if seeds {
			line = append(line, number(r.worst), strconv.Itoa(r.trials))
		}
		print(append(line, number(r.end), fmt.Sprintf("%.1f", r.seconds), fmt.Sprintf("%.0f", r.speed)))
	}
	return tw.Flush()
}

// short is a field's name in the table.
func short(field string) string { return strings.TrimPrefix(field, "train.") }

// value is what a field is in a variant, on one line.
func (p *plan) value(variant int, field string) string {
	var b bytes.Buffer
	json.Compact(&b, p.variants[variant].values[field]) // it was read as JSON
	return b.String()
}

// number is an exploitability in the table.
func number(x float64) string {
	if math.IsInf(x, 1) {
		return "-"
	}
	return fmt.Sprintf("%.5f", x)
}

// shown is how many variants a picture has colours for, beside optimal play.
const shown = 5

// best names the runs of the best variants by their settings, by folder, and
// returns the first folder of the very best.
func (p *plan) best(trials []trial) (names map[string]string, first string) {
	names = map[string]string{}
	list, _ := rows(trials)
	for _, r := range list[:min(shown, len(list))] {
		name := fmt.Sprintf("%02d", r.variant+1)
		for _, f := range p.fields {
			name += fmt.Sprintf(" %s %s", short(f), p.value(r.variant, f))
		}
		for _, t := range trials {
			if t.variant == r.variant {
				names[t.dir] = name
				first = cmp.Or(first, t.dir)
			}
		}
	}
	return names, first
}
