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

// draw writes how runs have learned, by their names, to curve.svg and curve.png
// in a folder. As the model does, a picture takes the place of an older one.
func (s *session) draw(dir string, names map[string]string) error {
	var runs []curve.Run
	for _, run := range slices.Sorted(maps.Keys(names)) {
		r, err := curve.Load(names[run], filepath.Join(run, train.MetricsFile))
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	c, err := curve.Chart(fmt.Sprintf("%s for %d", s.spec.Title, s.spec.Players), runs)
	if err != nil {
		return err
	}
	return plot.Replace(io.Discard, dir, c)
}

// tellPicture says where the picture is, or, since a run is worth more than its
// picture, why there is none.
func (s *session) tellPicture(dir string, err error) {
	if err != nil {
		fmt.Fprintf(s.bar, "train: no picture: %v\n", err)
		return
	}
	fmt.Fprintf(s.stdout, "how it learned %s\n", filepath.Join(dir, "curve.svg"))
}
