package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"marsgym/internal/curve"
	"marsgym/internal/plot"
	"marsgym/train"
)

// drawCurve draws the learning curves of runs, whose names it is given by folder,
// to curve.svg and curve.png in dir. They replace older ones, as the model does.
func (s *session) drawCurve(dir string, names map[string]string) error {
	var runs []curve.Run
	for _, run := range slices.Sorted(maps.Keys(names)) {
		r, err := curve.Load(names[run], filepath.Join(run, train.MetricsFile))
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	c, err := curve.Chart(s.spec.FullTitle(), runs)
	if err != nil {
		return err
	}
	return plot.Replace(io.Discard, dir, c)
}

// reportCurve prints where the learning curve is. If drawing it failed it prints
// the error, which does not fail the run.
func (s *session) reportCurve(dir string, err error) {
	if err != nil {
		fmt.Fprintf(s.bar, "train: no picture: %v\n", err)
		return
	}
	fmt.Fprintf(s.stdout, "how it learned %s\n", filepath.Join(dir, "curve.svg"))
}
